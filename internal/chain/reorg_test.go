package chain_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/watch"
)

// scenarioBackInPool makes a reorganization return a payment to the pool, where it
// stays: from then on it has no block, however long the chain becomes.
func scenarioBackInPool(t *testing.T, b *bench) {
	address := b.address(t)
	cursor := b.now(t)
	tx := b.pay(t, address, b.unit())
	b.mine(t, 1)
	d, cursor := b.await(t, cursor, "in a block", mined(tx.hash))
	depth := int(b.tip(t).Height-d.Height) + 1
	b.pop(t, depth)
	b.mineWithout(t, tx, depth+12)
	back, cursor := b.await(t, cursor, "back in the pool", inPool(tx.hash))
	require.Zero(t, back.Confirmations)
	require.False(t, b.follower.store.Payments[watch.Key{TxHash: tx.hash, Address: address}].Mature)
	b.mine(t, 1)
	again, _ := b.await(t, cursor, "in another block", mined(tx.hash))
	require.Equal(t, b.tip(t).Height, again.Height)
}

// scenarioSentAgain drives a payment out of the pool and sends the same bytes again.
// The wallet sees it before a block has it.
func scenarioSentAgain(t *testing.T, b *bench) {
	address := b.address(t)
	cursor := b.now(t)
	tx, rival := b.rivals(t, address, b.customerAddress(t), b.unit())
	b.send(t, tx)
	_, cursor = b.await(t, cursor, "in the pool", inPool(tx.hash))
	b.replace(t, tx, &rival)
	_, cursor = b.await(t, cursor, "gone", gone(tx.hash))
	b.replace(t, rival, &tx)
	_, cursor = b.await(t, cursor, "in the pool again", inPool(tx.hash))
	b.mine(t, 1)
	b.await(t, cursor, "in a block", mined(tx.hash))
}

// scenarioLostSource spends a deposit that a reorganization drops. The payment may be
// mined if the deposit returns, but not once a block has another transaction in its
// place. If a second reorganization drops that block, the payment may be mined again,
// whatever the wallet remembers. Monero does not show which output is spent.
func scenarioLostSource(t *testing.T, b *bench) {
	if !b.showsOrigins() {
		return
	}
	tx, rival := b.rivals(t, b.address(t), b.customerAddress(t), b.unit())
	b.send(t, tx)
	b.mine(t, 3)
	built := b.build(t, chain.Payment{To: b.customerAddress(t), Amount: b.unit(), SubtractFee: true, Prefer: []string{tx.hash}})
	require.Len(t, built.Inputs, 1)
	b.pop(t, 3)
	b.replace(t, tx, &rival)
	require.Equal(t, chain.Found{Inputs: chain.InputsMissing}, b.find(t, built))
	b.mine(t, 4)
	require.Equal(t, chain.Found{Inputs: chain.InputsSpent}, b.find(t, built))
	require.NoError(t, b.release(t, built))
	b.pop(t, 4)
	require.Equal(t, chain.Found{Inputs: chain.InputsMissing}, b.find(t, built), "no block decides between them any more")
	b.replace(t, rival, &tx)
	require.Equal(t, chain.Found{Inputs: chain.InputsFree}, b.find(t, built))
	b.mine(t, 6)
	require.Equal(t, chain.Found{Inputs: chain.InputsFree}, b.find(t, built))
	b.now(t)
}

// scenarioPages reads the chain again a few blocks at a time, and all at once.
func scenarioPages(t *testing.T, b *bench) {
	b.mine(t, 1)
	whole := b.afresh(t, watch.PageBlocks)
	require.NotEmpty(t, whole)
	require.Equal(t, whole, b.afresh(t, 7))
	known := slices.DeleteFunc(whole, func(d chain.Deposit) bool { return d.Height == 0 })
	for _, d := range known {
		p := b.follower.store.Payments[watch.Key{TxHash: d.TxHash, Address: d.Address}]
		require.NotNil(t, p, "%s was not seen when it came", d.TxHash)
		require.Equal(t, d.Height, *p.Place.Height)
	}
}
