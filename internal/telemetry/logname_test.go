package telemetry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

// TestLogsShowNoBearerSecret: no line shows an identifier that opens a page or a trade,
// wherever it stands.
func TestLogsShowNoBearerSecret(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		secret.NewID("ch_"), secret.NewID("pr_"), secret.NewID("sw_"), secret.NewID("swp_"), secret.NewTradeID(),
	} {
		var out bytes.Buffer
		log := telemetry.NewLogger(&out, slog.LevelDebug).With("before", id).WithGroup("g")
		ctx := telemetry.WithWorkflow(t.Context(), "trade-"+id, "run")
		log.InfoContext(ctx, "about "+id, //nolint:sloglint // messages are read too
			"id", id, "list", []string{id}, "error", fmt.Errorf("GET /pay/%s?x=%q: %w", id, id, errors.New(id)),
			"value", struct{ ID string }{id}, slog.Group("inner", "WorkflowID", "charge-"+id), "x_"+id, "key")
		slog.NewLogLogger(log.Handler(), slog.LevelWarn).Print("from the library: " + id)
		require.NotContains(t, out.String(), id)
		require.Equal(t, 13, strings.Count(out.String(), telemetry.LogName(id)), "the same name each time: %s", out.String())
		require.NotContains(t, telemetry.LogName(id), id[len(id)-20:])
	}
}

// Nor a key, nor the token at the end of a link.
func TestLogsShowNoKeyAndNoLink(t *testing.T) {
	t.Parallel()
	for _, known := range []string{
		secret.NewAPIKey(true), secret.NewAPIKey(false), secret.NewScopedKey(true), secret.NewScopedKey(false), secret.NewSwapKey(secret.AffiliateKeyPrefix),
		secret.NewSwapKey(secret.PartnerKeyPrefix), "/refund/" + secret.NewID("rf_") + "/" + secret.NewSecret(), "/reset-password/" + secret.NewSecret(),
		"/verify-email/" + secret.NewSecret(), "/join/" + secret.NewSecret(),
	} {
		var out bytes.Buffer
		telemetry.NewLogger(&out, slog.LevelDebug).Info("x", "key", known, "error", fmt.Errorf("GET https://x%s?y: %q", known, known))
		require.NotContains(t, out.String(), known[len(known)-40:], known)
		require.Equal(t, 3, strings.Count(out.String(), "~"), out.String())
	}
	hash := secret.NewSecret()
	var out bytes.Buffer
	telemetry.NewLogger(&out, slog.LevelDebug).Info("x", "tx_hash", hash, "at", "/tx/"+hash)
	require.Equal(t, 2, strings.Count(out.String(), hash), "hashes stay")
}

// Nor in a form that URLs and JSON give it: with escapes before it that end in
// what could be a digit of its own, and with its prefix escaped.
func TestLogsShowNoEscapedSecret(t *testing.T) {
	t.Parallel()
	charge, trade := secret.NewID("ch_"), secret.NewTradeID()
	for _, before := range []string{
		"%3d", "%3D", "%2f", "%20", "%22", "%25", "%253d", "%25253d", "%2525253d", "%25252525253D", "a%3d", "\b", "\f", "\x01", "\x1f", "\\", `"`, "https://x/?id=%7b%22id%22%3a%22",
	} {
		for _, id := range []string{charge, trade, strings.Replace(charge, "_", "%5f", 1), strings.Replace(charge, "_", "%255F", 1)} {
			var out bytes.Buffer
			telemetry.NewLogger(&out, slog.LevelDebug).Info("x", "error", errors.New(before+id+"%22"), before+id, "y")
			require.NotContains(t, out.String(), id[len(id)-20:], "%q: %s", before, out.String())
			name := telemetry.LogName(trade)
			if id != trade {
				name = telemetry.LogName(charge)
			}
			require.Equal(t, 2, strings.Count(out.String(), name), out.String())
		}
	}
}

// Nor in one that Go's %q or another JSON has escaped before.
func TestLogsShowNoSecretEscapedTwice(t *testing.T) {
	t.Parallel()
	for _, id := range []string{secret.NewID("ch_"), secret.NewID("sw_"), secret.NewTradeID(), "b" + secret.NewTradeID()[1:], "f" + secret.NewTradeID()[1:]} {
		for _, before := range []string{"", "\a", "\b", "\f", "\x01", "\x1f", "\u2028", "\U000e0001", "<", ">", "&", `"`, "\\", "\n", "\\u", "\\x", "/"} {
			inner, err := json.Marshal(map[string]string{"u": before + id})
			require.NoError(t, err)
			third, err := json.Marshal(map[string]string{"u": string(inner)})
			require.NoError(t, err)
			for _, text := range []string{fmt.Sprintf("%q", before+id), fmt.Sprintf("%+q", before+id), fmt.Sprintf("%q", fmt.Sprintf("%q", before+id)), string(inner), string(third)} {
				var out bytes.Buffer
				telemetry.NewLogger(&out, slog.LevelDebug).Info("x", "error", errors.New(text))
				require.NotContains(t, out.String(), id[len(id)-20:], "%q: %s", before, out.String())
				require.Equal(t, 1, strings.Count(out.String(), telemetry.LogName(id)), out.String())
			}
		}
	}
}

// Identifiers that are no secret stay, so that operators can look them up.
func TestLogsKeepWhatIsNoSecret(t *testing.T) {
	t.Parallel()
	merchant, tx := secret.NewMerchantID(), strings.Repeat("ab", 32)
	for _, id := range []string{secret.NewID("po_"), secret.NewID("whd_"), tx, "0197c2a1-7a2f-7c3e-8d4b-0123456789ab", "xmr", "%22" + tx, "%2522" + tx, "\b" + tx, `\\x01` + tx, "<" + tx, "100%5f", strings.Repeat("a", 23)} {
		line := logged(t, func(l *slog.Logger) { l.Info("x", "id", id) })
		require.Equal(t, id, line["id"])
		require.Equal(t, id, telemetry.LogName(id))
	}
	ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2}, SpanID: trace.SpanID{2}}))
	line := logged(t, func(l *slog.Logger) { l.InfoContext(ctx, "x", "merchant_id", merchant) })
	require.Equal(t, merchant, line["merchant_id"])
	require.Equal(t, trace.TraceID{1, 2}.String(), line["trace_id"])
}

// Made-up texts neither fail nor pass an identifier through.
func FuzzLogName(f *testing.F) {
	f.Add("ch_0123456789abcdef01234567")
	f.Add("0123456789abcdef0123456789abcdef")
	f.Add("_")
	f.Fuzz(func(t *testing.T, text string) {
		name := telemetry.LogName(text)
		if name != text && strings.Contains(name, text) {
			t.Fatal(name)
		}
	})
}
