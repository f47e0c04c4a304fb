package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// drill is an installation with a merchant and an exchange, which is restored from
// a backup in part: a backup that is older than both chains.
type drill struct {
	*pairSetup

	shop *shop
	// handedOut are the addresses that were ever handed out.
	handedOut map[string]bool
	// backup is the folder of the backup, seeds are the words of the wallets by their
	// part, and seedLTC is that of Litecoin's.
	backup  string
	seeds   map[string]string
	seedLTC string
}

// services are what works with the database.
func services() []string { return []string{"worker", "merchant-api", "swap-api"} }

func openDrill(t *testing.T) *drill {
	t.Helper()
	full := fullStacks.take(t)
	return &drill{
		pairSetup: newMarket(t, full.bourse), shop: openShop(t, full.merchants), handedOut: map[string]bool{}, backup: t.TempDir(),
	}
}

// openAgedDrill is one whose backup is older than the rest: since then a trade was paid,
// and the merchant was paid out.
func openAgedDrill(t *testing.T) *drill {
	t.Helper()
	d := openDrill(t)
	d.payable(t, "0.4")
	way := d.open(t, "ltc", "0.3")
	d.save(t)
	d.pay(t, way)
	d.until(t, way.TradeID, "completed")
	d.awaitSwept(t)
	return d
}

// awaitSwept pays the merchant out, and waits until the merchant receives payout.sent.
func (d *drill) awaitSwept(t *testing.T) clients.Payout {
	t.Helper()
	p := d.shop.payOut(t)
	d.shop.awaitRequest(t, fixture.AllOf(fixture.ArrivedAt(eventsPath), fixture.EventOf("payout.sent", p.PayoutID)))
	return p
}

// TestRestoreOfAnOlderDatabase restores the dump: all wallets are in safe mode, and what
// the wallets, Temporal and the chains know is taken over. Since the backup a trade was
// paid each way, another one was made and paid, a deposit was sent back, the merchant was
// paid out, and ten charges were made; a payout of each kind is in no block yet.
// Everything is paid once, no address has a second owner, and the books equal both chains.
func TestRestoreOfAnOlderDatabase(t *testing.T) {
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
	// The last transactions wait for a block.
	swept := d.awaitSwept(t)
	d.pay(t, flying)
	require.NoError(t, d.Coins.Mine(within(t), 2))
	d.awaitPassedOn(t, *d.await(t, flying, "sending").Payout)
	for range 10 {
		d.charge(t, "0.1")
	}

	d.stop(t)
	d.restoreDatabase(t)
	lost.forgotten = true
	d.start(t, func() {
		d.requireSafeMode(t, "live", "exchange-ltc-Mainnet", "exchange-xmr-Mainnet")
		_, err := d.shop.CreateCharge(within(t), clients.NewCharge{Amount: money.MustDecimal("1"), Currency: "XMR"})
		answer, ok := errors.AsType[*clients.StatusError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, http.StatusServiceUnavailable, answer.Status)
		require.Positive(t, answer.RetryAfter)
		d.recover(t)
	})
	for range 10 {
		d.charge(t, "0.1")
	}
	for _, way := range append(ways, flying) {
		d.until(t, way.TradeID, "completed")
	}
	d.until(t, small.TradeID, "refunded")
	d.requireSwept(t, swept)
	d.awaitDeliveredAgain(t, swept)
	open := d.begin(t)
	d.payAll(t, open)
	d.requireContinues(t, open)
}

// awaitDeliveredAgain waits until the merchant receives the event of a payout a second
// time, under the same identifier, because the database had forgotten the first.
func (d *drill) awaitDeliveredAgain(t *testing.T, p clients.Payout) {
	t.Helper()
	eventually(t, "the merchant is told again", func(context.Context) error {
		if got := d.shop.arrived(p.PayoutID); !slices.Equal(got, []string{"payout.sent", "payout.sent"}) {
			return fmt.Errorf("%v arrived", got)
		}
		return nil
	})
}

// open makes a trade, and requires that its address is new.
func (d *drill) open(t *testing.T, from, amount string) *deal {
	t.Helper()
	made := d.deal(t, from, amount)
	d.note(t, made.Deposit)
	return made
}

// note requires that an address was not handed out before, and records it.
func (d *drill) note(t *testing.T, address string) {
	t.Helper()
	require.False(t, d.handedOut[address], "%s was handed out before", address)
	d.handedOut[address] = true
}

func (d *drill) charge(t *testing.T, amount string) clients.Charge {
	t.Helper()
	made := d.shop.charge(t, amount)
	d.note(t, made.Subaddress)
	return made
}

// payable makes a charge that is paid, confirmed and can be swept.
func (d *drill) payable(t *testing.T, amount string) {
	t.Helper()
	c := d.charge(t, amount)
	d.shop.pay(t, c)
	d.shop.mineUntil(t, "charge.confirmed", c.ID)
	d.shop.unlock(t)
}

// requireSwept requires that the merchant was paid once, and sees the payout.
func (d *drill) requireSwept(t *testing.T, p clients.Payout) {
	t.Helper()
	payouts, err := d.shop.Payouts(within(t))
	require.NoError(t, err)
	require.Len(t, payouts, 1)
	require.Equal(t, p.PayoutID, payouts[0].PayoutID)
	require.Equal(t, p.TxHash, payouts[0].TxHash)
	require.Equal(t, p.AmountXMR, payouts[0].AmountXMR)
	balance, err := d.shop.Balance(within(t))
	require.NoError(t, err)
	require.Zero(t, balance.TotalXMR, "nothing is owed")
	received, err := d.shop.Wallet.Receipts(within(t))
	require.NoError(t, err)
	require.Len(t, received, 1)
}

// unfinished is business under way: a trade each way that waits for its deposit,
// and a charge that waits for its payment.
type unfinished struct {
	trades []*deal
	charge clients.Charge
}

func (d *drill) begin(t *testing.T) unfinished {
	t.Helper()
	return unfinished{trades: []*deal{d.open(t, "ltc", "0.25"), d.open(t, "xmr", "0.25")}, charge: d.charge(t, "0.15")}
}

// payAll pays for all of it, deep in both chains.
func (d *drill) payAll(t *testing.T, u unfinished) {
	t.Helper()
	for _, one := range u.trades {
		d.pay(t, one)
	}
	d.shop.pay(t, u.charge)
	require.NoError(t, d.Chain.Mine(within(t), deepXMR+2))
	require.NoError(t, d.Coins.Mine(within(t), 2))
}

// requireContinues requires that no wallet is in safe mode, open charges and trades are paid once,
// the merchant is paid out, new addresses are handed out, and the books equal the chains.
func (d *drill) requireContinues(t *testing.T, u unfinished) {
	t.Helper()
	for _, one := range u.trades {
		d.until(t, one.TradeID, "completed")
	}
	d.shop.mineUntil(t, "charge.confirmed", u.charge.ID)
	d.shop.unlock(t)
	require.Equal(t, 1, d.shop.payOut(t).ChargesPaid)
	d.recover(t) // may be run at any time
	d.charge(t, "0.1")
	d.open(t, "ltc", "0.2")
	d.open(t, "xmr", "0.2")
	var safe int
	require.NoError(t, d.database(t).QueryRow(within(t), "SELECT count(*) FROM witnesses WHERE safe_since IS NOT NULL").Scan(&safe))
	require.Zero(t, safe)
	d.checkBooks(t)
}

// checkBooks compares the merchant's books and the exchange's with both chains.
func (d *drill) checkBooks(t *testing.T) {
	t.Helper()
	d.shop.checkBooks(t)
	d.pairSetup.checkBooks(t)
}

// requireSafeMode waits until every one of the wallets is in safe mode, and until
// readiness shows it.
func (d *drill) requireSafeMode(t *testing.T, wallets ...string) {
	t.Helper()
	conn := d.database(t)
	eventually(t, "the wallets are in safe mode", func(ctx context.Context) error {
		rows, err := conn.Query(ctx, "SELECT wallet_id FROM witnesses WHERE safe_since IS NOT NULL")
		if err != nil {
			return err
		}
		safe, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err == nil && len(safe) != len(wallets) {
			err = fmt.Errorf("%v are, not %v", safe, wallets)
		}
		return err
	})
	eventually(t, "readiness says so", func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.shop.testbed.url+"/readyz", nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		var body struct {
			Parts map[string]string `json:"parts"`
		}
		text, err := io.ReadAll(res.Body)
		if err == nil {
			err = json.Unmarshal(text, &body)
		}
		if err == nil && (res.StatusCode != http.StatusServiceUnavailable || body.Parts["safe_mode"] != "failing") {
			err = fmt.Errorf("%d: %s", res.StatusCode, text)
		}
		return err
	})
}

// everHandedOut is more addresses than a drill hands out.
const everHandedOut = "400"

// recover asks for it, with more to say, until everything that was sent is taken over. It
// says how many addresses were handed out, where it is asked.
func (d *drill) recover(t *testing.T, more ...string) {
	t.Helper()
	eventually(t, "safe mode ends", func(ctx context.Context) error {
		list, err := d.tryRecover(ctx, more...)
		for _, w := range list {
			if err == nil && w.Missing != "" {
				var again []recovered
				again, err = d.tryRecover(ctx, append(slices.Clone(more), "--wallet="+w.WalletID, "--addresses-up-to="+everHandedOut)...)
				if err == nil {
					w = again[0]
				}
			}
			if err == nil && w.SafeMode != "" && !w.Ended {
				err = fmt.Errorf("%+v", w)
			}
		}
		return err
	})
}

// recovered is what the command prints of a wallet.
type recovered struct {
	WalletID string `json:"wallet_id"`
	SafeMode string `json:"safe_mode"`
	Missing  string `json:"missing"`
	Sends    any    `json:"unknown_sends"`
	Ended    bool   `json:"ended"`
}

func (d *drill) tryRecover(ctx context.Context, more ...string) (list []recovered, err error) {
	printed, err := d.Stack.Durapay(ctx, append([]string{"admin", "--json", "recover", "--apply"}, more...)...)
	if err == nil {
		err = json.Unmarshal(printed, &list)
	}
	if err == nil && len(list) == 0 {
		err = errors.New("no wallet was recovered")
	}
	return list, err
}
