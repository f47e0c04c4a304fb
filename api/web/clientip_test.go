package web

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientIPBelievesTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, c := range []struct {
		remote    string
		forwarded []string
		want      string
	}{
		{"203.0.113.9:1234", nil, "203.0.113.9"},
		{"203.0.113.9:1234", []string{"198.51.100.1"}, "203.0.113.9"},
		{"10.0.0.1:1234", nil, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"192.0.2.1, 198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"192.0.2.1, 198.51.100.1", "10.2.2.2"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"10.1.1.1, 10.2.2.2"}, "10.1.1.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1, junk"}, "10.0.0.1"},
		{"[::1]:1234", []string{"2001:db8::1"}, "2001:db8::/64"},
		{"[2001:db8:1:2:3:4:5:6]:1234", nil, "2001:db8:1:2::/64"},
		{"[fe80::1%eth0]:1234", nil, "fe80::/64"},
		{"[::ffff:10.0.0.1]:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"@", []string{"198.51.100.1"}, "@"},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": c.forwarded}}
		require.Equal(t, c.want, ClientIP(r, trusted), c)
	}
}
