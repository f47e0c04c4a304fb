package outbound

import (
	"testing"

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

	_, err := d.dialOne(t.Context(), "127.0.0.1:80", minDialTime)
	require.ErrorIs(t, err, ErrForbiddenTarget)
}
