package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

// TestEachConnectionNoticesLoss: each connection of the pool has the keepalive settings. On a
// Unix socket the server shows them as well, although they have no effect there.
func TestEachConnectionNoticesLoss(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	for range 3 {
		conn, err := store.Pool().Acquire(t.Context())
		require.NoError(t, err)
		defer conn.Release()
		var settings int
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_settings WHERE name LIKE 'tcp_keepalives_%' AND source = 'client'").Scan(&settings))
		require.Equal(t, 3, settings)
	}
}
