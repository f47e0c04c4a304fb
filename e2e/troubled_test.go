package e2e

import (
	"testing"

	"github.com/durapay/durapay/deploy/dev/stack"
)

func troubledFixture() (*fixture, error) {
	prices, err := openExchange()
	if err != nil {
		return nil, err
	}
	daemon, err := startProxy()
	if err != nil {
		return nil, err
	}
	w, err := openFixture(settings(map[string]string{
		"MONEROD_RPC_URL": daemon.url, "PRICE_SOURCES": "kraken", "PRICE_URLS": "kraken=" + prices.url,
		"PRICE_REFRESH": "1s", "PRICE_MAX_AGE": "3s", "EMAIL_VERIFICATION": "required",
	}), func(s *stack.Stack) { daemon.forwardTo(s.Addr("monerod")) })
	if err == nil {
		w.daemon, w.prices = daemon, prices
	}
	return w, err
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

// repair starts what a test that failed has left dead, for the next one.
func (w *fixture) repair(t *testing.T) {
	t.Helper()
	if !t.Failed() {
		return
	}
	for _, part := range w.stack.Status(within(t)) {
		if part.Name != "miner" && !part.Ready {
			t.Logf("%s: %v", part.Name, w.stack.StartPart(within(t), part.Name))
		}
	}
}
