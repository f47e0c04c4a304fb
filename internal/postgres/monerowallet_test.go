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
	record := store.MoneroWallets().RecordOneTimeKeys
	for _, id := range []string{"live", "exchange-xmr-Mainnet"} {
		require.NoError(t, store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: id, ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: id}))
	}
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	for range 2 {
		others, err := record(t.Context(), "live", [][]byte{key(1), key(2), key(1)}, []string{"a", "a", "b"})
		require.NoError(t, err)
		require.Empty(t, others, "both are given")
		alerts, err := store.ListOpenAlerts(t.Context(), alert.KeyRepeated)
		require.NoError(t, err)
		require.Len(t, alerts, 1)
		require.Contains(t, alerts[0].Detail, "transactions a, b pay wallet live")
	}
	others, err := record(t.Context(), "live", [][]byte{key(1), key(3)}, []string{"c", "c"})
	require.NoError(t, err)
	slices.Sort(others)
	require.Equal(t, []string{"a", "b"}, others)
	others, err = record(t.Context(), "live", [][]byte{key(2), key(3)}, []string{"a", "a"})
	require.NoError(t, err)
	require.Equal(t, []string{"c"}, others)
	others, err = record(t.Context(), "exchange-xmr-Mainnet", [][]byte{key(1)}, []string{"d"})
	require.NoError(t, err)
	require.Empty(t, others, "another wallet's")
}

// TestAddressesAreFoundByTheirSpendKeys gives two wallets an address with the same spend key.
func TestAddressesAreFoundByTheirSpendKeys(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	publish := func(id string, number int32, address string, keys ...[]byte) error {
		return store.PublishAddresses(t.Context(), db.PublishAddressesParams{
			WalletID: id, Indices: []int32{number, number + 1}, Addresses: []string{address, address + " next"}, SpendKeys: keys,
		})
	}
	for _, id := range []string{"a", "b"} {
		require.NoError(t, store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: id, Mode: "live", PrimaryAddress: id}))
		require.NoError(t, publish(id, 10<<20|4, id+"'s", key(1), key(4)))
		require.NoError(t, publish(id, 5, id+"'s of another coin"))
	}
	require.NoError(t, publish("b", 7, "b's other", key(2), key(5)))
	require.Error(t, publish("b", 9, "b's again", key(2), key(6)))
	require.Error(t, publish("b", 9, "b's short", key(3)[1:], key(6)))

	numbers, addresses, err := store.MoneroWallets().AddressesOf(t.Context(),
		[]string{"b", "a", "a", "b", "gone", "b"}, [][]byte{key(2), key(2), key(1), key(1), key(1), key(9)})
	require.NoError(t, err)
	require.Equal(t, []string{"b's other", "", "a's", "b's", "", ""}, addresses)
	require.Equal(t, []uint32{7, 0, 10<<20 | 4, 10<<20 | 4, 0, 0}, numbers)
}
