package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/receiver"
)

// The longest tests stand here, the longest last: the tests of the last file begin before
// those of others that run side by side, the last of them first. So none of these runs on
// when all others have ended.

// TestRestoreDrill puts one thing after the other back to a backup, or takes it
// away, on real chains: the database, Temporal, the wallets' files. Between the
// backup and the first of it a trade was paid each way, another one was made and
// paid, a deposit was sent back, a merchant was paid out, and ten charges were
// made; a payout of each kind is in no block yet. Each time everything is paid once, no address has a second owner, and the
// books equal both chains.
func TestRestoreDrill(t *testing.T) {
	t.Parallel()
	d := openDrill(t)
	d.payable(t, "0.4")
	ways := []*deal{d.open(t, "ltc", "0.3"), d.open(t, "xmr", "0.2")}
	small, flying := d.open(t, "ltc", "0.5"), d.open(t, "ltc", "0.35")
	d.save(t)

	for _, way := range ways {
		d.pay(t, way)
	}
	small.amount, small.refunded = "0.02", true
	d.pay(t, small)
	lost := d.open(t, "xmr", "0.3")
	d.pay(t, lost)
	for _, one := range []*deal{ways[0], ways[1], lost} {
		d.until(t, one.TradeID, "completed")
	}
	d.until(t, small.TradeID, "refunded")
	// What was sent last waits for a block.
	swept := d.shop.payOut(t)
	d.shop.awaitRequest(t, receiver.All(receiver.At(eventsPath), receiver.Of("payout.sent", swept.PayoutID)))
	d.pay(t, flying)
	require.NoError(t, d.coins.Mine(within(t), 2))
	d.awaitPassedOn(t, *d.await(t, flying, "sending").Payout)
	for range 10 {
		d.charge(t, "0.1")
	}

	for _, one := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"older database", func(t *testing.T) { d.olderDatabase(t, swept, small, append(ways, flying), lost) }},
		{"Temporal lost", d.loseTemporal},
		{"older Temporal", d.olderTemporal},
		{"older wallet files", d.olderWallets},
		{"wallets from their seeds, Temporal lost", d.walletsFromSeeds},
	} {
		if !t.Run(one.name, one.run) {
			return // the next would tell of this one's ruins
		}
	}
}

// TestSwapTrouble breaks one part after the other while trades are in every
// state, and compares the books with both chains at the end.
func TestSwapTrouble(t *testing.T) {
	t.Parallel()
	m := openPair(t)
	for _, part := range []string{
		"worker", "swap-api", "wallet-exchange-watch", "wallet-exchange-spend", "temporal", "postgres", "monerod", "litecoind",
	} {
		t.Run("kill "+part, func(t *testing.T) { m.killDuringTrades(t, part) })
		if t.Failed() {
			return // the next would tell of this one's ruins
		}
	}
	t.Run("books equal chains", func(t *testing.T) { m.finish(t); m.checkBooks(t) })
	t.Run("an operator has a refused payout sent", m.operatorRetries)
	t.Run("another Durapay fills", m.anotherFills)
	t.Run("rewritten before the fill", m.rewriteBeforeFill)
	t.Run("rewritten after the fill", m.rewriteAfterFill)
}

// TestDoubleSpends lets both chains be superseded by others in which payments of
// every kind are spent otherwise, some of them deep. No pool is emptied: the
// daemons keep what they knew.
func TestDoubleSpends(t *testing.T) {
	t.Parallel()
	f, err := openForked()
	require.NoError(t, err)
	f.merchants.endWith(t)
	// One that fails leaves the chains parted.
	_ = t.Run("20 blocks of Monero", f.overtakeMonero) &&
		t.Run("a block of Monero", f.overtakeMoneroShallow) &&
		t.Run("confirmed payouts that the other chain does not hold", f.overtakeConfirmed) &&
		t.Run("confirmed payouts that are spent otherwise", f.overtakeConfirmedSpent) &&
		t.Run("a deposit that nobody has begun to answer", f.overtakeUnbegun) &&
		t.Run("3 blocks of Litecoin", f.overtakeLitecoin)
}

// TestTrouble runs everything that breaks parts of a stack, one after the
// other, while the tests of the calm stack run beside it.
func TestTrouble(t *testing.T) {
	t.Parallel()
	w, err := troubledFixture()
	if err != nil {
		t.Fatalf("the stack does not start: %v", err)
	}
	w.endWith(t)
	run := func(name string, test func(*testing.T, *fixture)) {
		t.Run(name, func(t *testing.T) {
			defer w.repair(t)
			test(t, w)
		})
	}
	for _, part := range []string{
		"merchant-api", "worker", "temporal", "postgres", "wallet-watch", "wallet-spend", "monerod",
	} {
		run("kill "+part, func(t *testing.T, w *fixture) { killInTheMiddle(t, w, part) })
	}
	run("worker dies while a payout is built", workerKilledWhileBuilding)
	run("worker dies between build and relay", workerKilledBeforeRelay)
	run("worker dies between relay and record", workerKilledAfterRelay)
	run("worker dies, and the payout is mined", workerKilledUntilMined)
	run("worker dies while it delivers", workerKilledWhileDelivering)
	run("power failure", powerFailure)
	run("daemon refuses a payout", daemonRefusesPayout)
	run("worker dies while it refunds", workerKilledWhileRefunding)
	run("reorg of a refund", reorgOfRefund)
	run("reorg before confirmation", reorgBeforeConfirmation)
	run("reorg after confirmation", reorgAfterConfirmation)
	run("reorg of a payout", reorgOfPayout)
	run("many blocks between two looks", manyBlocksAtOnce)
	run("wallet forgets addresses", walletForgetsAddresses)
	run("daemon is down for a while", daemonDown)
	run("payout that the network refuses for good", payoutRefusedForGood)
	run("Temporal forgets everything", temporalForgets)
	run("sales without Temporal", sellsWithoutTemporal)
	run("no price", noPrice)
	run("expiry", expiry)
	run("verification outlives deaths", verificationOutlivesDeaths)
}
