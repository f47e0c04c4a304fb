package telemetry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/telemetry"
)

func TestTextLinesAreForPeople(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := telemetry.NewTextLogger(&out, slog.LevelInfo)
	ctx := telemetry.WithRequestID(t.Context(), "req_1")
	log.DebugContext(ctx, "too little")
	log.With("wallet", "live").WithGroup("of").WarnContext(ctx, "the node is slow", "took", 80380640*time.Nanosecond, "error", errors.New("no answer"))
	require.Regexp(t, `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} WARN  the node is slow  wallet=live of\.took=80\.381ms of\.error="no answer" of\.request_id=req_1\n$`, out.String())
	out.Reset()
	log.InfoContext(t.Context(), "ready")
	require.Regexp(t, ` INFO  ready\n$`, out.String())
}

// TestTextLinesHideSecrets logs identifiers that open something in every place of a line.
func TestTextLinesHideSecrets(t *testing.T) {
	t.Parallel()
	charge, trade, merchant := "ch_"+strings.Repeat("1a", 12), strings.Repeat("2b", 16), strings.Repeat("3c", 16)
	var out bytes.Buffer
	log := telemetry.NewTextLogger(&out, slog.LevelInfo)
	//nolint:sloglint // the message has an identifier on purpose
	log.InfoContext(t.Context(), "about "+charge, "id", charge, "merchant_id", merchant, "error", errors.New("GET /swap?merchant_id="+trade), "list", []string{trade})
	require.NotContains(t, out.String(), charge)
	require.NotContains(t, out.String(), trade)
	require.Contains(t, out.String(), telemetry.LogName(charge))
	require.Contains(t, out.String(), telemetry.LogName(trade))
	require.Contains(t, out.String(), "merchant_id="+merchant)
	log.InfoContext(t.Context(), "forged\n2026-01-01 00:00:00.000 ERROR a line")
	require.Equal(t, 2, strings.Count(out.String(), "\n"), "a text makes no line of its own")
}

func TestDurationsHaveUnits(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry.NewLogger(&out, slog.LevelInfo).InfoContext(t.Context(), "request", "took", 80380640*time.Nanosecond)
	var line struct {
		Took string `json:"took"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	require.Equal(t, "80.381ms", line.Took)
}
