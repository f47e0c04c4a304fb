package outbound_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/outbound"
)

// forbidden has an address of every class that is never dialled.
func forbidden() map[string]string {
	return map[string]string{
		"this host":              "0.0.0.0",
		"this net":               "0.1.2.3",
		"loopback":               "127.0.0.1",
		"loopback net":           "127.255.255.254",
		"private 10":             "10.0.0.1",
		"private 172.16":         "172.16.0.1",
		"private 172.31":         "172.31.255.255",
		"private 192.168":        "192.168.1.1",
		"shared (CGNAT)":         "100.64.0.1",
		"shared end":             "100.127.255.255",
		"link-local":             "169.254.1.1",
		"cloud metadata":         "169.254.169.254",
		"protocol assignments":   "192.0.0.8",
		"documentation 1":        "192.0.2.1",
		"documentation 2":        "198.51.100.1",
		"documentation 3":        "203.0.113.1",
		"6to4 relay":             "192.88.99.1",
		"benchmarking":           "198.19.0.1",
		"multicast":              "224.0.0.1",
		"multicast end":          "239.255.255.255",
		"reserved":               "240.0.0.1",
		"broadcast":              "255.255.255.255",
		"v6 unspecified":         "::",
		"v6 loopback":            "::1",
		"v6 link-local":          "fe80::1",
		"v6 site-local":          "fec0::1",
		"v6 unique local":        "fd00::1",
		"v6 multicast":           "ff02::1",
		"v6 documentation":       "2001:db8::1",
		"v6 documentation new":   "3fff::1",
		"v6 discard":             "100::1",
		"mapped loopback":        "::ffff:127.0.0.1",
		"mapped private":         "::ffff:10.0.0.1",
		"mapped public":          "::ffff:1.1.1.1",
		"IPv4-compatible":        "::7f00:1",
		"NAT64 private":          "64:ff9b::a00:1",
		"NAT64 public":           "64:ff9b::101:101",
		"NAT64 local":            "64:ff9b:1::a00:1",
		"6to4":                   "2002:7f00:1::1",
		"Teredo":                 "2001:0:1::1",
		"outside of unicast":     "4000::1",
		"translated (IPv4/ICMP)": "::ffff:0:7f00:1",
	}
}

func TestPolicyRefusesWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	for class, text := range forbidden() {
		require.ErrorIs(t, outbound.Policy{}.Check(netip.MustParseAddr(text)), outbound.ErrForbiddenTarget, class)
	}
	require.ErrorIs(t, outbound.Policy{}.Check(netip.Addr{}), outbound.ErrForbiddenTarget, "no address")
	require.ErrorIs(t, outbound.Policy{}.Check(netip.MustParseAddr("fe80::1%eth0")), outbound.ErrForbiddenTarget)
}

func TestPolicyAllowsThePublicInternet(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "223.255.255.255",
		"2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "2001:200::1",
	} {
		require.NoError(t, outbound.Policy{}.Check(netip.MustParseAddr(text)), text)
	}
}

func TestAllowedNetsLiftTheBanForThemselvesAlone(t *testing.T) {
	t.Parallel()
	policy := outbound.Policy{AllowedNets: []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"),
	}}
	for _, text := range []string{"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"} {
		require.NoError(t, policy.Check(netip.MustParseAddr(text)), text)
	}
	for _, text := range []string{"10.0.0.1", "::2", "::ffff:10.0.0.1", "169.254.169.254"} {
		require.ErrorIs(t, policy.Check(netip.MustParseAddr(text)), outbound.ErrForbiddenTarget, text)
	}
}
