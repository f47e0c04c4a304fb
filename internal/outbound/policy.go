package outbound

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"code.dny.dev/ssrf"
)

// Policy determines which addresses may be dialled. The zero value allows only
// the public internet.
type Policy struct {
	// AllowedNets are allowed even if they are not public, for development.
	AllowedNets []netip.Prefix
}

// Check returns ErrForbiddenTarget for an address outside of the public
// internet: private, loopback, link-local, shared, multicast, unspecified,
// documentation, and IPv6 forms that carry an IPv4 address (mapped, NAT64,
// 6to4, Teredo).
func (p Policy) Check(addr netip.Addr) error {
	if p.allows(addr) || (addr.IsValid() && ssrf.New().SafeAddr(addr) == nil) {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrForbiddenTarget, addr)
}

// allows compares an IPv4 address in IPv6 form with nets of both families.
func (p Policy) allows(addr netip.Addr) bool {
	return slices.ContainsFunc(p.AllowedNets, func(n netip.Prefix) bool {
		return n.Contains(addr) || n.Contains(addr.Unmap())
	})
}

// isOnion reports whether a host is the name of an onion service of Tor.
func isOnion(host string) bool { return lastLabel(host) == "onion" }

// lastLabel returns the top-level label in lower case and ignores a final dot.
func lastLabel(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host[strings.LastIndexByte(host, '.')+1:]
}

// checkProxiedHost checks a host that is passed to a proxy unresolved.
func checkProxiedHost(policy Policy, host string) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		return policy.Check(addr)
	}
	if lastLabel(host) == "localhost" {
		return policy.Check(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	single := !strings.Contains(strings.TrimSuffix(host, "."), ".")
	ofPrivateNetworks := []string{"local", "internal", "intranet", "lan", "corp", "private", "home", "arpa", "localdomain"}
	if single || looksNumeric(host) || slices.Contains(ofPrivateNetworks, lastLabel(host)) {
		return fmt.Errorf("%w: not a public host name", ErrForbiddenTarget)
	}
	return nil
}

// looksNumeric reports whether a resolver could read the host as an IPv4 address:
// its last label is a decimal, octal or hexadecimal number.
func looksNumeric(host string) bool {
	last := lastLabel(host)
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// IsOnion reports whether a URL leads to an onion service.
func IsOnion(target string) bool {
	u, err := url.Parse(target)
	return err == nil && strings.HasSuffix(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), ".onion")
}
