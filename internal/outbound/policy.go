package outbound

import (
	"fmt"
	"net/netip"
	"slices"

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
