package open_test

import (
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/open"
	"github.com/durapay/durapay/internal/provider/providertest"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestProvidersOfAFile(t *testing.T) {
	t.Parallel()
	keys := map[string]string{}
	server := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Api-Key", "Authorization", "X-Changenow-Api-Key"} {
			if key := r.Header.Get(name); key != "" {
				keys[name] = key
			}
		}
		w.WriteHeader(http.StatusTooManyRequests)
	})
	key := write(t, "key", "s3cret\n")
	path := write(t, "providers.json", strings.NewReplacer("URL", server.Base, "KEY", key).Replace(`[
		{"name": "durapay", "kind": "aggregator", "url": "URL/api", "key_file": "KEY", "risk": "precheck", "rating": "A", "direct": true},
		{"name": "ex", "kind": "exolix", "url": "URL", "key_file": "KEY", "risk": "controlled", "rating": "C", "direct": true},
		{"name": "cn", "kind": "changenow", "url": "URL", "key_file": "KEY", "risk": "controlled", "rating": "C", "direct": true},
		{"name": "tor", "kind": "exolix", "risk": "auto", "rating": "D"}]`))
	here := config.Outbound{WebhookAllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	list, err := open.FromFile(path, here)
	require.NoError(t, err)
	require.Len(t, list, 4)
	require.Equal(t, provider.Profile{Name: "durapay", Risk: provider.RiskPrecheck, Rating: provider.RatingA}, list[0].Profile())
	for _, p := range list[:3] {
		_, err := p.Quote(t.Context(), providertest.Request(t))
		require.ErrorIs(t, err, provider.ErrUnavailable)
	}
	require.Equal(t, map[string]string{"Api-Key": "s3cret", "Authorization": "s3cret", "X-Changenow-Api-Key": "s3cret"}, keys)
	_, err = list[3].Quote(t.Context(), providertest.Request(t))
	require.ErrorIs(t, err, outbound.ErrNoProxy, "without the word, calls go through the proxy alone")

	list, err = open.FromFile("", here)
	require.NoError(t, err)
	require.Empty(t, list)
}

func TestBadEntriesAreRefused(t *testing.T) {
	t.Parallel()
	good := `{"name": "a", "kind": "exolix", "risk": "auto", "rating": "A"}`
	for wrong, want := range map[string]string{
		`{`: "unexpected end", `[` + good + `,` + good + `]`: "not unique", `[{}]`: "a name has",
		`[` + strings.Replace(good, `"a"`, `"A b"`, 1) + `]`:               "a name has",
		`[` + strings.Replace(good, `"a"`, `"changenow"`, 1) + `]`:         "hide this name",
		`[` + strings.Replace(good, "exolix", "other", 1) + `]`:            `kind "other"`,
		`[` + strings.Replace(good, "auto", "none", 1) + `]`:               `risk "none"`,
		`[` + strings.Replace(good, `"A"}`, `"E"}`, 1) + `]`:               `rating "E"`,
		`[` + strings.Replace(good, "exolix", "aggregator", 1) + `]`:       "url is missing",
		`[` + strings.Replace(good, "{", `{"url": "ftp://x",`, 1) + `]`:    "neither https nor http",
		`[` + strings.Replace(good, "{", `{"key_file": "/none",`, 1) + `]`: "secret file",
	} {
		_, err := open.FromFile(write(t, "providers.json", wrong), config.Outbound{})
		require.ErrorContains(t, err, want)
	}
	_, err := open.FromFile("/none", config.Outbound{})
	require.ErrorIs(t, err, os.ErrNotExist)
}
