package sanctions_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/sanctions"
)

func here() config.Outbound {
	return config.Outbound{WebhookAllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
}

func TestListIsReadFromFileOrURL(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/sdn.xml": // OFAC's address redirects to its storage
			http.Redirect(w, r, "/storage", http.StatusFound)
		case "/storage":
			_, _ = io.WriteString(w, sdn("", entries()...))
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/page":
			_, _ = io.WriteString(w, "<html></html>")
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "sdn.xml")
	require.NoError(t, os.WriteFile(file, []byte(advanced("", entries()...)), 0o600))

	for _, c := range []config.Sanctions{
		{SanctionsFile: file}, {SanctionsURL: server.URL + "/sdn.xml"}, {SanctionsFile: file, SanctionsURL: server.URL + "/none"},
	} {
		source, configured := sanctions.NewSource(c, here())
		require.True(t, configured)
		list, err := source.Read(t.Context())
		require.NoError(t, err)
		require.Len(t, list.Entries, 5)
	}
	for _, path := range []string{"/loop", "/page", "/none"} {
		source, _ := sanctions.NewSource(config.Sanctions{SanctionsURL: server.URL + path}, here())
		_, err := source.Read(t.Context())
		require.Error(t, err, path)
		require.NotContains(t, err.Error(), "127.0.0.1")
	}
	source, _ := sanctions.NewSource(config.Sanctions{SanctionsURL: server.URL + "/storage"}, config.Outbound{})
	_, err := source.Read(t.Context())
	require.ErrorIs(t, err, outbound.ErrForbiddenTarget)
	source, _ = sanctions.NewSource(config.Sanctions{SanctionsURL: server.URL + "/storage", SanctionsUseProxy: true}, here())
	_, err = source.Read(t.Context())
	require.ErrorIs(t, err, outbound.ErrNoProxy)
	source, _ = sanctions.NewSource(config.Sanctions{SanctionsFile: file + ".missing"}, here())
	_, err = source.Read(t.Context())
	require.ErrorIs(t, err, os.ErrNotExist)
	_, configured := sanctions.NewSource(config.Sanctions{}, here())
	require.False(t, configured)
}
