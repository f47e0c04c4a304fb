package e2e

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// orderPath is the route by which a swap is ordered.
const orderPath = "/api/v1/new_trade"

// converter is a shop whose payouts are swapped to litecoins.
type converter struct {
	*shop

	full  *fullStack
	payee string
}

func openConverter(t *testing.T, full *fullStack) *converter {
	t.Helper()
	s := openShop(t, full.merchants)
	c := &converter{shop: s, full: full, payee: full.ltcAddress(t)}
	require.NoError(t, s.SetAutoSwap(within(t), "ltc", c.payee))
	return c
}

// arrives follows the swap of a payout to the litecoins, and compares the
// payout with the deposit and the swap with the Litecoin chain.
func (c *converter) arrives(t *testing.T, p clients.Payout) {
	t.Helper()
	require.NotNil(t, p.SwapID, "the payout names its swap")
	done := (&swapper{c.full.bourse, c.Merchant}).finishes(t, *p.SwapID)
	require.NotNil(t, done.AmountTo)
	require.Equal(t, *done.AmountTo, c.full.ltcReceived(t, c.payee), "what the swap says is what arrived")
	require.NotNil(t, done.TxDeposit)
	require.Equal(t, *p.TxHash, *done.TxDeposit, "the payout's transaction is the deposit")
	ordered, err := money.ParseXMR(done.AmountFrom)
	require.NoError(t, err)
	require.InEpsilon(t, uint64(ordered), uint64(p.AmountXMR), 0.01)
	list, err := c.Payouts(within(t))
	require.NoError(t, err)
	sent := 0
	for _, payout := range list {
		if payout.Status != "failed" {
			sent++
		}
	}
	require.Equal(t, 1, sent, "one payout was sent")
	c.requireEmptyBalance(t)
	receipts, err := c.Wallet.Receipts(within(t))
	require.NoError(t, err)
	require.Empty(t, receipts, "nothing went to the payout address")
}

// TestAutoSwapWithoutProvider sweeps while the exchange is away: nothing moves, and
// a later sweep pays.
func TestAutoSwapWithoutProvider(t *testing.T) {
	t.Parallel()
	full := fullStacks.take(t)
	c := openConverter(t, full)
	c.payable(t, "0.2")
	require.NoError(t, full.Stack.Kill("swap-api"))
	before, err := c.Balance(within(t))
	require.NoError(t, err)
	c.requireNoSweep(t, "nobody swaps")
	after, err := c.Balance(within(t))
	require.NoError(t, err)
	require.Equal(t, before, after, "the charges are released")
	require.NoError(t, full.Stack.StartPart(within(t), "swap-api"))
	c.arrives(t, c.sweepAgain(t))
}

// sweepAgain sweeps until the provider has an offer again.
func (c *converter) sweepAgain(t *testing.T) (sent clients.Payout) {
	t.Helper()
	eventually(t, "a sweep is sent", func(context.Context) (err error) {
		sent, err = c.trySweep(t)
		return err
	})
	return sent
}

// reaches waits until the newest payout is what a test wants to die in.
func (c *converter) reaches(t *testing.T, what string, there func(clients.Payout) bool) {
	t.Helper()
	eventually(t, what, func(ctx context.Context) error {
		list, err := c.Payouts(ctx)
		if err == nil && (len(list) == 0 || !there(list[0])) {
			err = errors.New("not yet")
		}
		return err
	})
}

// TestKillOfWorkerThatOrdersAnAutoSwap kills the worker after the provider has taken the
// order and before the worker receives its answer: the order is not sent again, the charges
// are released, and the provider's order is never paid.
func TestKillOfWorkerThatOrdersAnAutoSwap(t *testing.T) {
	t.Parallel()
	full := fullStacks.take(t)
	c := openConverter(t, full)
	c.payable(t, "0.2")
	held := full.provider.holdAfter(orderPath)
	sweep := c.sweepUntil(t, held.reached)
	require.NoError(t, full.Stack.Kill("worker"))
	held.releaseAfterCallers(t)
	c.restart(t, "worker")
	t.Logf("the sweep's caller got: %v", <-sweep.done)
	c.reaches(t, "the payout is given up", func(p clients.Payout) bool { return p.Status == "failed" })
	list, err := c.Swaps(within(t))
	require.NoError(t, err)
	require.Empty(t, list)
	c.arrives(t, c.sweepAgain(t))
}

func TestKillOfWorkerBetweenOrderAndBuild(t *testing.T) {
	t.Parallel()
	c := openConverter(t, fullStacks.take(t))
	c.payable(t, "0.2")
	sweep := c.killOrdered(t)
	c.restart(t, "worker")
	c.arrives(t, sweep.outcome(t))
}

// killOrdered kills the worker between order and build.
func (c *converter) killOrdered(t *testing.T) *sweeping {
	t.Helper()
	// Another try when the order took so long that it was given up.
	for range 3 {
		held := c.full.provider.holdAfter(orderPath)
		sweep := c.sweepUntil(t, held.reached)
		require.NoError(t, c.full.Stack.Pause("wallet-spend"))
		close(held.release)
		var newest clients.Payout
		c.reaches(t, "the swap is ordered", func(p clients.Payout) bool {
			newest = p
			return p.SwapID != nil || p.Status == "failed"
		})
		if newest.Status != "failed" {
			require.NoError(t, c.full.Stack.Kill("worker"))
			require.NoError(t, c.full.Stack.Resume("wallet-spend"))
			return sweep
		}
		require.NoError(t, c.full.Stack.Resume("wallet-spend"))
	}
	require.Fail(t, "the order was given up each time")
	return nil
}

func TestKillOfWorkerBetweenRelayAndRecordOfAnAutoSwap(t *testing.T) {
	t.Parallel()
	c := openConverter(t, fullStacks.take(t))
	c.payable(t, "0.2")
	sweep, stored := c.relayedUnrecorded(t)
	c.restart(t, "worker")
	sent := sweep.outcome(t)
	require.Equal(t, *stored.TxHash, *sent.TxHash)
	c.arrives(t, sent)
}

// TestAutoSwapWhosePayoutIsRefused lets the daemon refuse the transaction: payout and swap fail
// together.
func TestAutoSwapWhosePayoutIsRefused(t *testing.T) {
	t.Parallel()
	full := fullStacks.take(t)
	c := openConverter(t, full)
	c.payable(t, "0.2")
	full.daemon.refuse(relayPath, `{"status":"Failed","reason":"","double_spend":false,"fee_too_low":true,"not_relayed":false}`)
	_, err := c.trySweep(t)
	full.daemon.accept(relayPath)
	require.NotZero(t, clients.Status(err))
	failed := c.onlyPayout(t)
	require.Equal(t, "failed", failed.Status)
	require.NotNil(t, failed.SwapID)
	swap, err := c.SwapStatus(within(t), *failed.SwapID)
	require.NoError(t, err)
	require.Equal(t, "failed", swap.Status)
	c.arrives(t, c.sweepAgain(t))
}

// TestAutoSwapThatIsTooLateToBuild lets the worker die between order and build, and come back
// when most of the time to deposit is over.
func TestAutoSwapThatIsTooLateToBuild(t *testing.T) {
	t.Parallel()
	c := openConverter(t, fullStacks.take(t))
	c.payable(t, "0.2")
	c.killOrdered(t)
	c.comesBackAfter(t, "40 minutes")
}

// TestAutoSwapThatIsTooLateToRelay lets the worker die between build and relay, and come
// back when the time to deposit is over: the bytes that would be paid too late
// are never sent.
func TestAutoSwapThatIsTooLateToRelay(t *testing.T) {
	t.Parallel()
	full := fullStacks.take(t)
	c := openConverter(t, full)
	c.payable(t, "0.2")
	held := full.daemon.holdBefore(relayPath)
	c.sweepUntil(t, held.reached)
	require.NoError(t, full.Stack.Kill("worker"))
	held.releaseAfterCallers(t)
	stored := c.onlyPayout(t)
	c.comesBackAfter(t, "2 hours")
	c.requireState(t, stored, monero.Missed)
}

// comesBackAfter starts the worker as if so much time had passed since the swap
// was ordered: payout and swap fail, and the next sweep pays.
func (c *converter) comesBackAfter(t *testing.T, pause string) {
	t.Helper()
	list, err := c.Payouts(within(t))
	require.NoError(t, err)
	require.NotEmpty(t, list)
	_, err = c.full.database(t).Exec(within(t), "UPDATE swaps SET created_at = created_at - $1::interval, expires_at = expires_at - $1::interval WHERE id = $2",
		pause, *list[0].SwapID)
	require.NoError(t, err)
	c.restart(t, "worker")
	c.reaches(t, "the payout is given up", func(p clients.Payout) bool { return p.Status == "failed" })
	swap, err := c.SwapStatus(within(t), *list[0].SwapID)
	require.NoError(t, err)
	require.Equal(t, "failed", swap.Status)
	c.arrives(t, c.sweepAgain(t))
}

// TestAutoSwapThatTheProviderRefunds has a provider on the internet take the deposit and send it
// back to the payout address, which the order named: the merchant sees that, and the money is
// not paid out again.
func TestAutoSwapThatTheProviderRefunds(t *testing.T) {
	t.Parallel()
	full := fullStacks.take(t)
	c := openConverter(t, full)
	c.payable(t, "0.37")
	deposit, err := full.Customer.NewAccount(within(t))
	require.NoError(t, err)
	full.elsewhere.open(deposit.Address)
	defer full.elsewhere.open("")
	p := c.sweepAgain(t)
	require.NotNil(t, p.SwapID)
	require.NoError(t, full.Chain.MineInto(within(t), *p.TxHash))
	came, err := deposit.Receipts(within(t))
	require.NoError(t, err)
	require.Equal(t, []fixture.Receipt{{TxHash: *p.TxHash, Amount: p.AmountXMR}}, came, "the provider has the deposit")

	follow := &swapper{full.bourse, c.Merchant}
	full.elsewhere.say("exchanging", "")
	follow.comes(t, *p.SwapID, "exchanging")
	order := full.elsewhere.taken()
	require.Equal(t, c.Wallet.Address, order.Refund)
	require.Equal(t, c.payee, order.Payee)
	// From the customer's wallet, which does not list what it pays to itself.
	sent, err := full.Customer.Pay(within(t), fixture.Output{Address: order.Refund, Amount: p.AmountXMR / 2})
	require.NoError(t, err)
	full.elsewhere.say("refund", sent.Hash)
	require.Equal(t, "exchanging", follow.comes(t, *p.SwapID, "exchanging").Status)
	full.elsewhere.say("refunded", sent.Hash)
	done := follow.comes(t, *p.SwapID, "refunded")
	require.Equal(t, sent.Hash, *done.TxRefund)
	require.Nil(t, done.TxPayout)
	require.Nil(t, done.AmountTo)
	c.requireEmptyBalance(t)
	after := c.onlyPayout(t)
	require.Contains(t, []string{"broadcast", "confirmed"}, after.Status, "the money left once")
	require.Equal(t, "0", c.full.ltcReceived(t, c.payee))
}
