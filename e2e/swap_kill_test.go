package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// pairSetup is an exchange of which parts die.
type pairSetup struct {
	*bourse

	// opening is what the exchange held, and before how many trades it had, when the test
	// began.
	opening vault
	before  int
	deals   []*deal
}

// newMarket is an exchange on which the test has made no trade yet.
func newMarket(t *testing.T, b *bourse) *pairSetup {
	t.Helper()
	m := &pairSetup{bourse: b}
	m.opening = m.settled(t)
	require.NoError(t, m.database(t).QueryRow(within(t), "SELECT count(*) FROM trades").Scan(&m.before))
	return m
}

// TestKillOfWorkerDuringTrades kills the worker while one trade waits for its deposit, the
// deposit of another is in the pool, that of a third in a block, a payout in
// either coin is built and not relayed, and another is relayed and not mined. At the end
// the books equal both chains.
func TestKillOfWorkerDuringTrades(t *testing.T) {
	t.Parallel()
	b := newMarket(t, fullStacks.take(t).bourse)
	sending := b.deal(t, "ltc", "0.3")
	b.pay(t, sending)
	require.NoError(t, b.Coins.Mine(within(t), 2))
	b.awaitPassedOn(t, *b.await(t, sending, "sending").Payout)

	built := b.deal(t, "xmr", "0.14")
	b.pay(t, built)
	require.NoError(t, b.Chain.MineInto(within(t), built.deposit))
	confirming := b.deal(t, "xmr", "0.11")
	b.pay(t, confirming)
	require.NoError(t, b.Chain.MineInto(within(t), confirming.deposit))

	heldLTC := b.litecoind.holdBefore(sendMethod)
	require.NoError(t, b.Chain.Mine(within(t), deepXMR-2)) // one block is missing to the later deposit
	wait(t, heldLTC.reached)
	b.await(t, confirming, "confirming")

	processing, held := b.deal(t, "ltc", "0.4"), b.daemon.holdBefore(relayPath)
	b.pay(t, processing)
	require.NoError(t, b.Coins.Mine(within(t), 2))
	wait(t, held.reached)
	b.await(t, processing, "processing", "sending") // a request repeated after holdAgain passes

	detected := b.deal(t, "xmr", "0.12")
	b.pay(t, detected)
	b.await(t, detected, "deposit_detected")

	awaiting := b.deal(t, "xmr", "0.13")
	require.NoError(t, b.Stack.Kill("worker"))
	close(held.release)
	close(heldLTC.release)
	require.NoError(t, b.Stack.StartPart(within(t), "worker"))

	b.pay(t, awaiting)
	b.finish(t)
	b.checkBooks(t)
}
