package adapter_test

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
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func listed(path string) adapter.ConfigFile {
	return adapter.ConfigFile{Variable: "SWAP_PROVIDERS_FILE", Path: path, Taken: "own"}
}

func TestProvidersOfAFile(t *testing.T) {
	t.Parallel()
	keys, agents, paths := map[string]string{}, map[string]bool{}, map[string]bool{}
	server := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		agents[r.Header.Get("User-Agent")] = true
		paths[r.URL.Path] = r.Header.Get("Api-Key") == "s3cret"
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
		{"name": "peer", "kind": "durapay", "url": "URL", "key_file": "KEY", "risk": "precheck", "rating": "A", "direct": true},
		{"name": "ex", "kind": "exolix", "url": "URL", "key_file": "KEY", "risk": "controlled", "rating": "C", "direct": true},
		{"name": "cn", "kind": "changenow", "url": "URL", "key_file": "KEY", "risk": "controlled", "rating": "C", "direct": true},
		{"name": "tor", "kind": "exolix", "risk": "auto", "rating": "D"}]`))
	here := config.Outbound{SwapUserAgent: "Mozilla/5.0 (of many)", WebhookAllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	list, err := listed(path).Providers(here)
	require.NoError(t, err)
	require.Len(t, list, 5)
	require.Equal(t, provider.Profile{Name: "durapay", Risk: provider.RiskPrecheck, Rating: provider.RatingA}, list[0].Profile())
	for _, p := range list[:4] {
		_, err := p.Quote(t.Context(), providertest.Request(t))
		require.ErrorIs(t, err, provider.ErrUnavailable)
	}
	require.Equal(t, map[string]string{"Api-Key": "s3cret", "Authorization": "s3cret", "X-Changenow-Api-Key": "s3cret"}, keys)
	require.True(t, paths["/api/v1/new_rate"], "the swap API of a Durapay, with its key")
	require.True(t, paths["/api/new_rate"], "the aggregators' dialect, with its key")
	require.Equal(t, map[string]bool{"Mozilla/5.0 (of many)": true}, agents, "no call says more of us")
	_, err = list[4].Quote(t.Context(), providertest.Request(t))
	require.ErrorIs(t, err, outbound.ErrNoProxy, "without the word, calls go through the proxy alone")

	list, err = listed("").Providers(here)
	require.NoError(t, err)
	require.Empty(t, list)
}

func TestBadEntriesAreRefused(t *testing.T) {
	t.Parallel()
	good := `{"name": "a", "kind": "exolix", "risk": "auto", "rating": "A"}`
	for wrong, want := range map[string]string{
		`{`: "unexpected end", `[` + good + `,` + good + `]`: `entry 2, provider "a": the name is not unique`, `[{}]`: "a name has",
		`[` + strings.Replace(good, `"a"`, `"A b"`, 1) + `]`:               "a name has",
		`[` + strings.Replace(good, `"a"`, `"changenow"`, 1) + `]`:         "hide this name",
		`[` + strings.Replace(good, `"a"`, `"own"`, 1) + `]`:               `providers.json: entry 1, provider "own": the exchange fills swaps itself under this name`,
		`[` + strings.Replace(good, "exolix", "other", 1) + `]`:            `kind "other"`,
		`[` + strings.Replace(good, "auto", "none", 1) + `]`:               `risk "none"`,
		`[` + strings.Replace(good, `"A"}`, `"E"}`, 1) + `]`:               `rating "E"`,
		`[` + strings.Replace(good, "exolix", "aggregator", 1) + `]`:       "url is missing",
		`[` + strings.Replace(good, "exolix", "durapay", 1) + `]`:          "url is missing",
		`[` + strings.Replace(good, "{", `{"url": "ftp://x",`, 1) + `]`:    "neither https nor http",
		`[` + strings.Replace(good, "{", `{"key_file": "/none",`, 1) + `]`: "secret file",
	} {
		_, err := listed(write(t, "providers.json", wrong)).Providers(config.Outbound{})
		require.ErrorContains(t, err, want)
	}
	_, err := listed("/none").Providers(config.Outbound{})
	require.ErrorIs(t, err, os.ErrNotExist)
}
