package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// orderPath is the route by which a swap is ordered.
const orderPath = "/api/v1/new_trade"

// exchangeTown is a stack of both services in which parts are killed.
type exchangeTown struct {
	*bourse

	// provider is between the worker and the exchange.
	provider *proxy
	// elsewhere is another provider, on the internet, which mostly has no offer.
	elsewhere *elsewhere
}

func openExchangeTown() (*exchangeTown, error) {
	daemon, err := startProxy()
	if err != nil {
		return nil, err
	}
	house, err := startProxy()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "durapay-e2e-")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "town-providers.json")
	away, err := startElsewhere()
	if err != nil {
		return nil, err
	}
	entry := fmt.Sprintf(`[{"name":"house","kind":"durapay","url":%q,"risk":"precheck","rating":"A","direct":true,"private":true},
		{"name":"elsewhere","kind":"exolix","url":%q,"risk":"flexible","rating":"C","direct":true,"private":true}]`, house.url, away.url)
	if err := os.WriteFile(file, []byte(entry), 0o600); err != nil {
		return nil, err
	}
	env := settings(map[string]string{"MONEROD_RPC_URL": daemon.url, "MERCHANT_SWAP_PROVIDERS_FILE": file})
	s, err := stack.Open(stack.Options{Dir: dir, Env: env, Parts: append(stack.MerchantParts(), "swap-api"), Private: true})
	if err != nil {
		return nil, err
	}
	runningMu.Lock()
	running = append(running, s)
	runningMu.Unlock()
	daemon.forwardTo(s.Addr("monerod"))
	house.forwardTo(s.Addr("swap"))
	ctx, cancel := context.WithTimeout(context.Background(), startup)
	defer cancel()
	if err := s.Up(ctx); err != nil {
		return nil, err
	}
	urls := s.Env()
	customer := regtest.NewCustomer(urls["CUSTOMER_WALLET_RPC_URL"])
	reward, err := customer.Address(ctx)
	if err != nil {
		return nil, err
	}
	w := &fixture{
		stack: s, customer: customer, url: urls["MERCHANT_URL"], daemon: daemon,
		chain: regtest.NewChain("http://"+s.Addr("monerod"), reward),
	}
	return &exchangeTown{&bourse{fixture: w, litecoin: urls["LITECOIN_RPC_URL"]}, house, away}, nil
}

// converter is a shop whose payouts are swapped to litecoins.
type converter struct {
	*shop

	town  *exchangeTown
	payee string
}

func openConverter(t *testing.T, town *exchangeTown) *converter {
	t.Helper()
	s := openShop(t, town.fixture)
	c := &converter{shop: s, town: town, payee: town.ltcAddress(t)}
	require.NoError(t, s.SetAutoSwap(within(t), "ltc", c.payee))
	return c
}

// arrives follows the swap of a payout to the litecoins, and compares the
// payout with the deposit and the swap with the Litecoin chain.
func (c *converter) arrives(t *testing.T, p merchant.Payout) {
	t.Helper()
	require.NotNil(t, p.SwapID, "the payout names its swap")
	done := (&swapper{c.town.bourse, c.Client}).comes(t, *p.SwapID, "finished", true)
	require.NotNil(t, done.AmountTo)
	require.Equal(t, *done.AmountTo, c.town.ltcReceived(t, c.payee), "what the swap says is what arrived")
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
	receipts, err := c.wallet.Receipts(within(t))
	require.NoError(t, err)
	require.Empty(t, receipts, "nothing went to the payout address")
}

// TestAutoSwap has payouts swapped at the stack's own exchange, while the
// worker dies at every step.
func TestAutoSwap(t *testing.T) {
	t.Parallel()
	town, err := openExchangeTown()
	require.NoError(t, err)
	town.endWith(t)
	run := func(name string, test func(*testing.T, *exchangeTown)) {
		t.Run(name, func(t *testing.T) {
			defer town.repair(t)
			test(t, town)
		})
	}
	run("arrives on the Litecoin chain", autoSwapArrives)
	run("provider is away", autoSwapWithoutProvider)
	run("worker dies while it measures", autoSwapKilledMeasuring)
	run("worker dies while it orders", autoSwapKilledOrdering)
	run("worker dies between order and build", autoSwapKilledOrdered)
	run("worker dies between build and relay", autoSwapKilledBuilt)
	run("worker dies between relay and record", autoSwapKilledRelayed)
	run("daemon refuses the payout", autoSwapRefused)
	run("worker comes back too late to build", autoSwapBuiltLate)
	run("worker comes back too late to relay", autoSwapRelayedLate)
	run("provider refunds", autoSwapRefunded)
}

func autoSwapArrives(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.2", "0.3")
	c.arrives(t, c.sweepAgain(t))
}

// autoSwapWithoutProvider sweeps while the exchange is away: nothing moves, and
// a later sweep pays.
func autoSwapWithoutProvider(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.2")
	require.NoError(t, town.stack.Kill("swap-api"))
	before, err := c.Balance(within(t))
	require.NoError(t, err)
	c.requireNoSweep(t, "nobody swaps")
	after, err := c.Balance(within(t))
	require.NoError(t, err)
	require.Equal(t, before, after, "the charges are released")
	require.NoError(t, town.stack.StartPart(within(t), "swap-api"))
	c.arrives(t, c.sweepAgain(t))
}

// sweepAgain sweeps until the provider has an offer again.
func (c *converter) sweepAgain(t *testing.T) (sent merchant.Payout) {
	t.Helper()
	eventually(t, "a sweep is sent", func(context.Context) (err error) {
		sent, err = c.trySweep(t)
		return err
	})
	return sent
}

// reaches waits until the newest payout is what a test wants to die in.
func (c *converter) reaches(t *testing.T, what string, there func(merchant.Payout) bool) {
	t.Helper()
	eventually(t, what, func(ctx context.Context) error {
		list, err := c.Payouts(ctx)
		if err == nil && (len(list) == 0 || !there(list[0])) {
			err = errors.New("not yet")
		}
		return err
	})
}

func autoSwapKilledMeasuring(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.2")
	sweep := c.killWhileBuilding(t, "worker")
	require.NoError(t, town.stack.Resume("wallet-spend"))
	c.restart(t, "worker")
	c.arrives(t, sweep.outcome(t))
}

// autoSwapKilledOrdering kills the worker when the provider has taken the order
// and nobody has heard its answer: the order is not sent again, the charges are
// released, and nobody pays what the provider holds.
func autoSwapKilledOrdering(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.2")
	held := town.provider.holdAfter(orderPath)
	sweep := c.sweepUntil(t, held.reached)
	require.NoError(t, town.stack.Kill("worker"))
	held.releaseNobody(t)
	c.restart(t, "worker")
	t.Logf("the sweep's caller got: %v", <-sweep.done)
	c.reaches(t, "the payout is given up", func(p merchant.Payout) bool { return p.Status == "failed" })
	list, err := c.Swaps(within(t))
	require.NoError(t, err)
	require.Empty(t, list)
	c.arrives(t, c.sweepAgain(t))
}

func autoSwapKilledOrdered(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
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
		held := c.town.provider.holdAfter(orderPath)
		sweep := c.sweepUntil(t, held.reached)
		require.NoError(t, c.town.stack.Pause("wallet-spend"))
		close(held.release)
		var newest merchant.Payout
		c.reaches(t, "the swap is ordered", func(p merchant.Payout) bool {
			newest = p
			return p.SwapID != nil || p.Status == "failed"
		})
		if newest.Status != "failed" {
			require.NoError(t, c.town.stack.Kill("worker"))
			require.NoError(t, c.town.stack.Resume("wallet-spend"))
			return sweep
		}
		require.NoError(t, c.town.stack.Resume("wallet-spend"))
	}
	require.Fail(t, "the order was given up each time")
	return nil
}

func autoSwapKilledBuilt(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.2")
	held := town.daemon.holdBefore(relayPath)
	sweep := c.sweepUntil(t, held.reached)
	require.NoError(t, town.stack.Kill("worker"))
	held.releaseNobody(t)
	stored := c.onlyPayout(t)
	require.NotNil(t, stored.SwapID)
	c.restart(t, "worker")
	sent := sweep.outcome(t)
	require.Equal(t, *stored.TxHash, *sent.TxHash)
	c.arrives(t, sent)
}

func autoSwapKilledRelayed(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.2")
	sweep, stored := c.relayedUnrecorded(t)
	c.restart(t, "worker")
	sent := sweep.outcome(t)
	require.Equal(t, *stored.TxHash, *sent.TxHash)
	c.arrives(t, sent)
}

// autoSwapRefused lets the daemon refuse the transaction: payout and swap fail
// together.
func autoSwapRefused(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.2")
	town.daemon.refuse(relayPath, `{"status":"Failed","reason":"","double_spend":false,"fee_too_low":true,"not_relayed":false}`)
	_, err := c.trySweep(t)
	town.daemon.accept(relayPath)
	require.NotZero(t, merchant.Status(err))
	failed := c.onlyPayout(t)
	require.Equal(t, "failed", failed.Status)
	require.NotNil(t, failed.SwapID)
	swap, err := c.SwapStatus(within(t), *failed.SwapID)
	require.NoError(t, err)
	require.Equal(t, "failed", swap.Status)
	c.arrives(t, c.sweepAgain(t))
}

// autoSwapBuiltLate lets the worker die between order and build, and come back
// when most of the time to deposit is over.
func autoSwapBuiltLate(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.2")
	c.killOrdered(t)
	c.comesBackAfter(t, "40 minutes")
}

// autoSwapRelayedLate lets the worker die between build and relay, and come
// back when the time to deposit is over: the bytes that would be paid too late
// are never sent.
func autoSwapRelayedLate(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.2")
	held := town.daemon.holdBefore(relayPath)
	c.sweepUntil(t, held.reached)
	require.NoError(t, town.stack.Kill("worker"))
	held.releaseNobody(t)
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
	_, err = c.town.database(t).Exec(within(t), "UPDATE swaps SET created_at = created_at - $1::interval, expires_at = expires_at - $1::interval WHERE id = $2",
		pause, *list[0].SwapID)
	require.NoError(t, err)
	c.restart(t, "worker")
	c.reaches(t, "the payout is given up", func(p merchant.Payout) bool { return p.Status == "failed" })
	swap, err := c.SwapStatus(within(t), *list[0].SwapID)
	require.NoError(t, err)
	require.Equal(t, "failed", swap.Status)
	c.arrives(t, c.sweepAgain(t))
}

// autoSwapRefunded has a provider on the internet take the deposit and send it
// back to the payout address, which it was told: the merchant sees that, and the
// money is not paid out again.
func autoSwapRefunded(t *testing.T, town *exchangeTown) {
	c := openConverter(t, town)
	c.payable(t, "0.37")
	deposit, err := town.customer.NewAccount(within(t))
	require.NoError(t, err)
	town.elsewhere.open(deposit.Address)
	defer town.elsewhere.open("")
	p := c.payOut(t)
	require.NotNil(t, p.SwapID)
	require.NoError(t, town.chain.MineInto(within(t), *p.TxHash))
	came, err := deposit.Receipts(within(t))
	require.NoError(t, err)
	require.Equal(t, []regtest.Receipt{{TxHash: *p.TxHash, Amount: p.AmountXMR}}, came, "the provider has the deposit")

	follow := &swapper{town.bourse, c.Client}
	town.elsewhere.say("exchanging", "")
	follow.comes(t, *p.SwapID, "exchanging", false)
	order := town.elsewhere.taken()
	require.Equal(t, c.wallet.Address, order.Refund)
	require.Equal(t, c.payee, order.Payee)
	// From the customer's wallet, which does not list what it pays to itself.
	sent, err := town.customer.Pay(within(t), regtest.Output{Address: order.Refund, Amount: p.AmountXMR / 2})
	require.NoError(t, err)
	town.elsewhere.say("refund", sent.Hash)
	require.Equal(t, "exchanging", follow.comes(t, *p.SwapID, "exchanging", false).Status)
	town.elsewhere.say("refunded", sent.Hash)
	done := follow.comes(t, *p.SwapID, "refunded", false)
	require.Equal(t, sent.Hash, *done.TxRefund)
	require.Nil(t, done.TxPayout)
	require.Nil(t, done.AmountTo)
	c.requireEmptyBalance(t)
	after := c.onlyPayout(t)
	require.Contains(t, []string{"broadcast", "confirmed"}, after.Status, "the money left once")
	require.Equal(t, "0", c.town.ltcReceived(t, c.payee))
}
