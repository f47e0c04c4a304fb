package pgtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	t.Parallel()
	first, second := pgtest.New(t), pgtest.New(t)
	require.NoError(t, first.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: "w", ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "a"}))
	_, err := first.GetWallet(t.Context(), "w")
	require.NoError(t, err)
	_, err = second.GetWallet(t.Context(), "w")
	require.Error(t, err, "the other database is empty")
}
