package utxowallet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/utxo"
)

// TestPromisedCoinsAreNotCountedAfterARestart: the daemon has forgotten its locks.
// Reserved coins do not count as unlocked even then, for example those of a
// transaction that the pool refused.
func TestPromisedCoinsAreNotCountedAfterARestart(t *testing.T) {
	t.Parallel()
	l := &ledger{txs: map[string]*record{hash("a"): {at: block, kept: true, outputs: []utxo.Amount{100, 20, 3}}}}
	w := l.wallet(t)
	promised := []string{coin("a", 1).String()}
	for range 2 {
		b, err := w.Balance(t.Context(), promised)
		require.NoError(t, err)
		require.Equal(t, chain.Balance{Unlocked: 103, Total: 123}, b)
		l.set(func() { l.locked = nil })
	}
	l.set(func() { l.locked = []utxo.Coin{coin("a", 0)} })
	b, err := w.Balance(t.Context(), nil)
	require.NoError(t, err)
	require.EqualValues(t, 123, b.Unlocked, "nobody has promised what is locked")
}

// TestPromisedCoinsAreCountedOnce: the pool has lost a transaction of the wallet, but
// the wallet keeps it. The daemon does not count its inputs, so Balance must not
// subtract them again.
func TestPromisedCoinsAreCountedOnce(t *testing.T) {
	t.Parallel()
	l := &ledger{txs: map[string]*record{
		hash("a"): {at: block, kept: true, outputs: []utxo.Amount{100, 20, 3}},
		hash("b"): {at: nowhere, kept: true, inputs: []utxo.Coin{coin("a", 1)}},
	}}
	b, err := l.wallet(t).Balance(t.Context(), []string{coin("a", 1).String()})
	require.NoError(t, err)
	require.EqualValues(t, 103, b.Unlocked)
}
