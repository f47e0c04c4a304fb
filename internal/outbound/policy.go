package outbound

import (
	"fmt"
	"net/netip"
	"slices"

	"code.dny.dev/ssrf"
)

// Policy says which addresses may be dialled. The zero value allows the public
// internet alone.
type Policy struct {
	// AllowedNets are allowed although they are not public, for development.
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

// allows compares a mapped IPv4 address with nets of either family.
func (p Policy) allows(addr netip.Addr) bool {
	return slices.ContainsFunc(p.AllowedNets, func(n netip.Prefix) bool {
		return n.Contains(addr) || n.Contains(addr.Unmap())
	})
}
