package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSmoke is the one test on real parts that `make test` runs: a charge from its
// creation to its payout, a refund by link, and a swap each way. The worker is killed
// while it relays the payout. All of them finish after its restart, and the books equal
// the chains.
func TestSmoke(t *testing.T) {
	t.Parallel()
	full := fullStacks.take(t)
	s, m := openShop(t, full.merchants), newMarket(t, full.bourse)
	m.pay(t, m.deal(t, "xmr", "0.4"))
	m.pay(t, m.deal(t, "ltc", "1"))

	charges := s.payable(t, "0.2", "0.2") // a refund may take either: payments of one block are equally old
	r := s.refundBy(t, charges[0], "0.15")
	r.claimed(t, "0.15")
	r.approve(t)
	r.awaitClaims(t, 1)
	s.checkRefund(t, r.refund, r.buyer, xmr("0.2"))

	held := full.merchants.daemon.holdBefore(relayPath)
	sweep := s.sweepUntil(t, held.reached)
	require.NoError(t, full.Stack.Kill("worker"))
	held.releaseAfterCallers(t)
	s.restart(t, "worker")
	swept := sweep.outcome(t)
	require.Equal(t, xmr("0.2"), swept.AmountXMR+swept.NetworkFeeXMR+swept.FeeXMR)

	m.finish(t)
	m.checkBooks(t)
}
