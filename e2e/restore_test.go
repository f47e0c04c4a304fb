package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
)

// drill is an installation with merchants and an exchange whose database is
// restored from an older dump.
type drill struct {
	*pairSetup

	merchants string
	shop      *merchant.Client
	wallet    regtest.Account
	// told are the addresses that were ever handed out.
	told map[string]bool
	dump string
}

// services are what works with the database.
func services() []string { return []string{"worker", "merchant-api", "swap-api"} }

func openDrill(t *testing.T) *drill {
	t.Helper()
	b, err := startExchange(settings(nil), nil, stack.MerchantParts()...)
	require.NoError(t, err)
	coins, err := regtest.NewLitecoin(within(t), b.litecoin)
	require.NoError(t, err)
	t.Cleanup(coins.Close)
	d := &drill{pairSetup: &pairSetup{bourse: b, coins: coins}, merchants: b.stack.Env()["MERCHANT_URL"], told: map[string]bool{}}
	d.dump = filepath.Join(t.TempDir(), "durapay.dump")
	_, d.shop, err = merchant.SignUp(within(t), d.merchants, "owner@drill.example", "correct horse battery", "Drill")
	require.NoError(t, err)
	d.wallet, err = b.customer.NewAccount(within(t))
	require.NoError(t, err)
	require.NoError(t, d.shop.SetPayoutAddress(within(t), d.wallet.Address))
	return d
}

// TestRestoreDrill restores a database that is older than both chains: a trade was
// paid each way since, another one was made and paid, a deposit was sent back, a
// merchant was paid out, and ten charges were made.
func TestRestoreDrill(t *testing.T) {
	t.Parallel()
	d := openDrill(t)
	paid := d.charge(t, "0.4")
	d.payCharge(t, paid)
	ways := []*deal{d.deal(t, "ltc", "0.3"), d.deal(t, "xmr", "0.2")}
	small := d.deal(t, "ltc", "0.5")
	for _, one := range []*deal{ways[0], ways[1], small} {
		d.note(t, one.Deposit)
	}
	d.save(t)

	for _, way := range ways {
		d.pay(t, way)
	}
	small.amount = "0.02"
	d.pay(t, small)
	lost := d.deal(t, "xmr", "0.3")
	d.note(t, lost.Deposit)
	d.pay(t, lost)
	for _, one := range []*deal{ways[0], ways[1], lost} {
		d.until(t, one.TradeID, "completed")
	}
	d.until(t, small.TradeID, "refunded")
	swept := d.sweep(t)
	for range 10 {
		d.charge(t, "0.1")
	}

	d.restore(t, func() {
		d.requireSafeMode(t, "live", "exchange-ltc-Mainnet", "exchange-xmr-Mainnet")
		_, err := d.shop.CreateCharge(within(t), merchant.NewCharge{Amount: money.MustDecimal("1"), Currency: "XMR"})
		answer, ok := errors.AsType[*merchant.StatusError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, http.StatusServiceUnavailable, answer.Status)
		require.Positive(t, answer.RetryAfter)
		d.recover(t)
	})
	for range 10 {
		d.charge(t, "0.1")
	}
	for _, way := range ways {
		d.until(t, way.TradeID, "completed")
		d.requirePaidOnce(t, way)
	}
	d.until(t, small.TradeID, "refunded")
	back, err := small.refund.receipts(within(t))
	require.NoError(t, err)
	require.Len(t, back, 1, "sent back once")
	got, err := lost.payee.receipts(within(t))
	require.NoError(t, err)
	require.Len(t, got, 1, "the trade that is not known was paid once")
	fresh := d.deal(t, "ltc", "0.3")
	d.note(t, fresh.Deposit)
	d.requireSwept(t, swept)
	t.Run("Temporal lost", d.loseTemporal)
	t.Run("wallet files made anew", d.loseWalletFiles)
}

// loseTemporal takes away everything that Temporal knows. The wallets' files
// agree with the database: nothing is in safe mode, and what is open goes on.
func (d *drill) loseTemporal(t *testing.T) {
	open := d.deal(t, "xmr", "0.25")
	d.note(t, open.Deposit)
	for _, part := range append(services(), "temporal") {
		require.NoError(t, d.stack.StopPart(within(t), part))
	}
	require.NoError(t, d.stack.LoseTemporal())
	require.NoError(t, d.stack.StartPart(within(t), "temporal"))
	for _, part := range services() {
		require.NoError(t, d.stack.StartPart(within(t), part))
	}
	printed, err := d.admin(t, "reconcile")
	require.NoError(t, err, printed)
	d.goesOn(t, open)
}

// loseWalletFiles leaves the keys alone, as a restore from the seeds does. Temporal
// agrees with the database: the wallets read the chain again and are raised.
func (d *drill) loseWalletFiles(t *testing.T) {
	open := d.deal(t, "ltc", "0.25")
	d.note(t, open.Deposit)
	wallets := []string{"wallet-watch", "wallet-spend", "wallet-exchange-watch", "wallet-exchange-spend"}
	for _, part := range append(services(), wallets...) {
		require.NoError(t, d.stack.StopPart(within(t), part))
	}
	for _, part := range wallets {
		require.NoError(t, os.Remove(filepath.Join(d.stack.Dir(), "data", part, "wallet")))
	}
	for _, part := range append(wallets, services()...) {
		require.NoError(t, d.stack.StartPart(within(t), part))
	}
	d.goesOn(t, open)
}

// goesOn says that no wallet is in safe mode, an open trade is paid once, and what
// is handed out is new.
func (d *drill) goesOn(t *testing.T, open *deal) {
	t.Helper()
	d.pay(t, open)
	d.until(t, open.TradeID, "completed")
	d.requirePaidOnce(t, open)
	for range 3 {
		d.charge(t, "0.1")
	}
	for _, from := range []string{"ltc", "xmr"} {
		d.note(t, d.deal(t, from, "0.2").Deposit)
	}
	var safe int
	require.NoError(t, d.database(t).QueryRow(within(t), "SELECT count(*) FROM witnesses WHERE safe_since IS NOT NULL").Scan(&safe))
	require.Zero(t, safe)
}

// note says that an address was handed out, to nobody before.
func (d *drill) note(t *testing.T, address string) {
	t.Helper()
	require.False(t, d.told[address], "%s was handed out before", address)
	d.told[address] = true
}

func (d *drill) charge(t *testing.T, amount string) (made merchant.Charge) {
	t.Helper()
	eventually(t, "the charge is made", func(ctx context.Context) (err error) {
		made, err = d.shop.CreateCharge(ctx, merchant.NewCharge{Amount: money.MustDecimal(amount), Currency: "XMR"})
		return err
	})
	d.note(t, made.Subaddress)
	return made
}

// payCharge pays a charge and lets its outputs be spendable.
func (d *drill) payCharge(t *testing.T, c merchant.Charge) {
	t.Helper()
	sent, err := d.customer.Pay(within(t), regtest.Output{Address: c.Subaddress, Amount: c.AmountXMR})
	require.NoError(t, err)
	d.awaitPassedOn(t, sent.Hash)
	require.NoError(t, d.chain.Mine(within(t), 12))
}

func (d *drill) sweep(t *testing.T) (p merchant.Payout) {
	t.Helper()
	eventually(t, "the charge is paid out", func(ctx context.Context) (err error) {
		p, err = d.shop.Sweep(ctx)
		return err
	})
	require.NoError(t, d.chain.Mine(within(t), 1))
	return p
}

// requireSwept says that the merchant was paid once, and is shown it.
func (d *drill) requireSwept(t *testing.T, p merchant.Payout) {
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
	received, err := d.wallet.Receipts(within(t))
	require.NoError(t, err)
	require.Len(t, received, 1)
}

// save dumps the services' database.
func (d *drill) save(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(within(t), "pg_dump", "--format=custom", "--file", d.dump, d.stack.Env()["DATABASE_URL"]).CombinedOutput()
	require.NoError(t, err, string(out))
}

// restore puts the dump in the place of the database, with the services stopped,
// and runs check while they start: they are not ready before safe mode has ended.
func (d *drill) restore(t *testing.T, check func()) {
	t.Helper()
	url := d.stack.Env()["DATABASE_URL"]
	for _, part := range services() {
		require.NoError(t, d.stack.StopPart(within(t), part))
	}
	out, err := exec.CommandContext(within(t), "pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction", "--dbname", url, d.dump).CombinedOutput()
	require.NoError(t, err, string(out))
	var group errgroup.Group
	for _, part := range services() {
		group.Go(func() error { return d.stack.StartPart(within(t), part) })
	}
	check()
	require.NoError(t, group.Wait())
}

// requireSafeMode waits until every one of the wallets is in safe mode, and says
// that readiness tells.
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
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.merchants+"/readyz", nil)
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

// recover asks for it until everything that was sent is taken over.
func (d *drill) recover(t *testing.T) {
	t.Helper()
	eventually(t, "safe mode ends", func(ctx context.Context) error {
		printed, err := d.stack.Durapay(ctx, "admin", "recover", "--apply")
		if err != nil {
			return err
		}
		var list []struct {
			SafeMode string `json:"safe_mode"`
			Ended    bool   `json:"ended"`
		}
		if err := json.Unmarshal(printed, &list); err != nil {
			return err
		}
		for _, w := range list {
			if w.SafeMode != "" && !w.Ended {
				return fmt.Errorf("%s", printed)
			}
		}
		return nil
	})
}
