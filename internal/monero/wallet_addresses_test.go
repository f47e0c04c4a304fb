package monero

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/testkit"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	needProcesses(t)
	keys := newKeys(t)
	p, w := startOpenWallet(t, testkit.Port(t), keys, true)
	ctx := t.Context()
	d, err := NewDeriver(keys.address, keys.view)
	require.NoError(t, err)

	t.Run("the primary address is there from the start", func(t *testing.T) {
		count, err := w.AddressCount(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 1, count)
		address, ok, err := w.AddressAt(ctx, 0)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, keys.address, address)
		_, ok, err = w.AddressAt(ctx, 1)
		require.NoError(t, err)
		require.False(t, ok)
	})
	t.Run("derived ones are where the wallet has them", func(t *testing.T) {
		for _, account := range []uint32{0, 1, 49} {
			for index := range uint32(200) {
				requireWalletKnows(t, w, d, account, index)
			}
		}
	})
	t.Run("what is not stored is handed out again", func(t *testing.T) {
		require.NoError(t, w.Store(ctx))
		lost, err := w.CreateAddresses(ctx, 3)
		require.NoError(t, err)
		requireDerived(t, d, lost, 1)
		p.kill()
		p.start(t)
		awaitReady(t, func(ctx context.Context) error { return openAgain(ctx, w) })
		again, err := w.CreateAddresses(ctx, 3)
		require.NoError(t, err)
		require.Equal(t, lost, again)
	})
	t.Run("ensured ones are stored", func(t *testing.T) {
		require.NoError(t, w.EnsureAddressCount(ctx, 40))
		p.kill()
		p.start(t)
		awaitReady(t, func(ctx context.Context) error { return openAgain(ctx, w) })
		count, err := w.AddressCount(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 40, count)
		require.NoError(t, w.EnsureAddressCount(ctx, 10), "more than enough")
		next, err := w.CreateAddresses(ctx, 2)
		require.NoError(t, err)
		requireDerived(t, d, next, 40)
	})
	t.Run("count is bounded", func(t *testing.T) {
		for _, n := range []int{-1, 0, MaxCreate + 1} {
			_, err := w.CreateAddresses(ctx, n)
			require.ErrorIs(t, err, ErrArgument)
		}
	})
}

func openAgain(ctx context.Context, w *Wallet) error {
	params := map[string]any{"filename": "w", "password": ""}
	return w.client.rpc(ctx, call{Method: "open_wallet", Params: params, Long: true}, nil)
}

func requireDerived(t *testing.T, d *Deriver, got []Subaddress, first uint32) {
	t.Helper()
	for i, s := range got {
		require.Equal(t, Subaddress{Index: first + uint32(i), Address: d.Subaddress(0, s.Index)}, s)
	}
}

// requireWalletKnows requires that the wallet's lookahead table contains a
// derived address.
func requireWalletKnows(t *testing.T, w *Wallet, d *Deriver, account, index uint32) {
	t.Helper()
	address := d.Subaddress(account, index)
	type position struct{ Major, Minor uint32 }
	var out struct{ Index position }
	k := call{Method: "get_address_index", Params: map[string]any{"address": address}}
	require.NoError(t, w.client.rpc(t.Context(), k, &out))
	require.Equal(t, position{account, index}, out.Index)
}
