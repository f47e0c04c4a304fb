package outbound

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The socket's own check must refuse an address even if the check of the name
// server's answer has passed.
func TestSocketIsCheckedAsItConnects(t *testing.T) {
	t.Parallel()
	d := &dialer{}
	for _, address := range []string{"10.0.0.1:80", "[::1]:80", "[::ffff:127.0.0.1]:80", "[fe80::1%lo]:80", "nonsense", ""} {
		require.ErrorIs(t, d.control("tcp", address, nil), ErrForbiddenTarget, address)
	}
	require.NoError(t, d.control("tcp4", "1.1.1.1:80", nil))

	_, err := d.dialFirst(t.Context(), time.Now().Add(minDialTime), []netip.Addr{netip.MustParseAddr("127.0.0.1")}, "80")
	require.ErrorIs(t, err, ErrForbiddenTarget)
}
