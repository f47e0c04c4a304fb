package merchant_test

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/web"
)

// FuzzClientIP checks how clients are named. Without a trusted proxy the peer is the client, no
// matter what the header claims. With one, addresses to the left of the first untrusted address
// change nothing. A client is an IPv4 address, or the /64 network of an IPv6 address with all
// its addresses.
func FuzzClientIP(f *testing.F) {
	f.Add("203.0.113.7", "10.0.0.1:4711")
	f.Add("1.1.1.1, 203.0.113.7, 10.0.0.2", "10.0.0.1:4711")
	f.Add("::ffff:203.0.113.7", "[::1]:1")
	f.Add("unknown, 203.0.113.7:80", "10.0.0.1:4711")
	f.Add(",,, ,", "10.0.0.1:4711")
	f.Add("fe80::1%eth0", "10.0.0.1:4711")
	f.Add("2001:db8:1:2:3:4:5:6", "10.0.0.1:4711")
	f.Add("203.0.113.7", "[2001:db8:1:2::7]:4711")
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, forwarded, peer string) {
		asked := func(forwarded string, by []netip.Prefix) string {
			return web.ClientIP(&http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {forwarded}}}, by)
		}
		require.Equal(t, asked("", nil), asked(forwarded, nil))
		client := asked(forwarded, trusted)
		addr, err := netip.ParseAddr(client)
		if network, wide := netip.ParsePrefix(client); wide == nil {
			addr, err = network.Addr(), nil
			require.True(t, addr.Is6())
			require.False(t, addr.Is4In6(), "one client has one address")
			require.Equal(t, 64, network.Bits())
			require.Equal(t, network.Masked(), network)
			bytes := addr.As16()
			bytes[8], bytes[15] = 0xab, 0x01
			neighbour := &http.Request{RemoteAddr: netip.AddrPortFrom(netip.AddrFrom16(bytes), 1).String()}
			require.Equal(t, client, web.ClientIP(neighbour, nil), "a network is one client")
		} else if err == nil {
			require.True(t, addr.Is4(), "%s is a client of its own", client)
		}
		if err != nil {
			require.Equal(t, peer, client)
			return
		}
		if !trusted[0].Contains(addr) {
			require.Equal(t, client, asked("8.8.8.8, "+forwarded, trusted), "a claim further left counts for nothing")
		}
	})
}
