package postgres_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

// TestOneTimeKeysNameTheOtherTransactions records keys of two wallets, each twice.
func TestOneTimeKeysNameTheOtherTransactions(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	live, exchange := store.MoneroWallet("live"), store.MoneroWallet("exchange-xmr-Mainnet")
	for _, id := range []string{"live", "exchange-xmr-Mainnet"} {
		require.NoError(t, store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: id, ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: id}))
	}
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	for range 2 {
		others, err := live.RecordOneTimeKeys(t.Context(), [][]byte{key(1), key(2), key(1)}, []string{"a", "a", "b"})
		require.NoError(t, err)
		require.Empty(t, others, "both are given")
		alerts, err := store.ListOpenAlerts(t.Context(), alert.KeyRepeated)
		require.NoError(t, err)
		require.Len(t, alerts, 1)
		require.Contains(t, alerts[0].Detail, "transactions a, b pay wallet live")
	}
	others, err := live.RecordOneTimeKeys(t.Context(), [][]byte{key(1), key(3)}, []string{"c", "c"})
	require.NoError(t, err)
	slices.Sort(others)
	require.Equal(t, []string{"a", "b"}, others)
	others, err = live.RecordOneTimeKeys(t.Context(), [][]byte{key(2), key(3)}, []string{"a", "a"})
	require.NoError(t, err)
	require.Equal(t, []string{"c"}, others)
	others, err = exchange.RecordOneTimeKeys(t.Context(), [][]byte{key(1)}, []string{"d"})
	require.NoError(t, err)
	require.Empty(t, others, "another wallet's")
}
