package outbound_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/outbound"
)

// FuzzCheckURL: a URL that is accepted can be requested, shows its host
// plainly, and hides neither a password nor an address in an unusual notation.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{
		"https://shop.example.com/hooks?a=1#b", "http://127.0.0.1:8080/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.1/",
		"http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[fe80::1%25eth0]/", "http://a:b@example.com/", "http://example.com:0/", "http://example.com:99999/",
		"http://exa\u202emple.com/", "http://example.com\\@evil.com/", "http://ex%61mple.com/", "//example.com", "http:example.com", "HTTP://EXAMPLE.COM",
		"http://" + strings.Repeat("a", 56) + ".onion/", "http://" + strings.Repeat("a", 56) + ".ONION./", "http://xn--e1afmkfd/", "http://пример.рф/", "http://１２７.０.０.１/", "http://127。0。0。1/",
		"http://example.com:80:80/", "http://example.com /", "http://\x00", "ftp://example.com",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	number := regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`) // the labels that resolvers read as a number
	f.Fuzz(func(t *testing.T, raw string, useTor bool) {
		if err := outbound.CheckURL(raw, useTor); err != nil {
			require.ErrorIs(t, err, outbound.ErrURL)
			return
		}
		require.LessOrEqual(t, len(raw), outbound.MaxURL)
		req, err := http.NewRequest(http.MethodPost, raw, http.NoBody)
		require.NoError(t, err, "%q", raw)
		require.Contains(t, []string{"http", "https"}, req.URL.Scheme)
		require.Nil(t, req.URL.User, "%q", raw)
		host := strings.ToLower(strings.TrimSuffix(req.URL.Hostname(), "."))
		require.NotEmpty(t, host, "%q", raw)
		require.NotContains(t, host, "%")
		if strings.HasSuffix(host, ".onion") {
			require.True(t, useTor, "%q", raw)
		}
		last := host[strings.LastIndexByte(host, '.')+1:]
		if number.MatchString(last) && !strings.Contains(host, ":") {
			addr, err := netip.ParseAddr(host)
			require.NoError(t, err, "%q: a host whose last part is a number is an address", raw)
			require.Equal(t, host, addr.String(), "%q", raw)
		}
		again, err := url.Parse(req.URL.String())
		require.NoError(t, err, "%q", raw)
		require.Equal(t, req.URL.Host, again.Host, "%q", raw)
	})
}
