package pgtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
)

// SetChain sets how many blocks of a merchants' wallet have been scanned, and marks
// the payments as mature that mature by then, as a scan would.
func SetChain(tb testing.TB, store *postgres.Store, walletID string, height int64) {
	tb.Helper()
	for _, sql := range []string{
		"UPDATE wallets SET chain_height = $2, top_hash = 'h' WHERE id = $1",
		"UPDATE received_payments SET mature = true WHERE wallet_id = $1 AND mature_height <= $2",
	} {
		_, err := store.Pool().Exec(tb.Context(), sql, walletID, height)
		require.NoError(tb, err)
	}
}
