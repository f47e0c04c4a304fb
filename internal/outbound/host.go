package outbound

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// privateSuffixes returns top-level names that only have a meaning on private
// networks.
func privateSuffixes() []string {
	return []string{"local", "internal", "intranet", "lan", "corp", "private", "home", "arpa", "localdomain"}
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
	if single || looksNumeric(host) || slices.Contains(privateSuffixes(), lastLabel(host)) {
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
