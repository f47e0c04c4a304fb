package activities_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// bureau is an exchange with a wallet of Monero and one of Litecoin, on a
// database of its own.
type bureau struct {
	store  *postgres.Store
	box    *secret.Box
	trades *trades.Handler
	// fills makes the trades that the exchange fills itself.
	fills    *exchange.Trades
	payments *trades.Payments
	watcher  *incoming.Watch
	pool     *incoming.Pool
	xmr, ltc *fakeWallet
	now      time.Time
	listed   []string
	noList   error
	usd      map[string]string
	price    error
	signals  []string
	looked   []string
	finished []webhook.Status

	// away is set while Temporal is.
	away bool
}

const partnerKeyID = "sk_0123456789abcdef01234567"

// bureauOf opens an exchange that swaps XMR at 150 for LTC at 75, with 100 LTC
// in ten coins.
func bureauOf(t *testing.T) *bureau {
	t.Helper()
	keyset := t.TempDir() + "/keyset.json"
	require.NoError(t, secret.NewKeysetFile(keyset))
	box, err := secret.Open(keyset)
	require.NoError(t, err)
	b := &bureau{store: pgtest.New(t), box: box, now: start, xmr: newFakeWallet(10, 10_000_000_000_000), ltc: newFakeWallet(10, 1_000_000_000)}
	b.usd = map[string]string{"xmr": "150", "ltc": "75"}
	settings := exchange.Settings{SpreadBP: 200, UnfundedPercent: 80, ClientPercent: 40}
	var coins [2]exchange.Coin
	for i, ticker := range []string{"xmr", "ltc"} {
		known, ok := coin.Lookup(ticker, "mainnet")
		require.True(t, ok)
		coins[i] = exchange.Coin{Coin: known, WalletID: ticker, Confirmations: 2}
		require.NoError(t, b.store.UpsertExchangeWallet(t.Context(), db.UpsertExchangeWalletParams{
			ID: ticker, ChainID: ticker, Ticker: known.Ticker, Network: known.Network, Decimals: known.Decimals,
		}))
	}
	settings.Pairs = []exchange.Pair{
		{From: coins[0], To: coins[1], Min: money.MustDecimal("0.05"), Max: money.MustDecimal("20"), Step: money.MustDecimal("1")},
	}
	wallets := map[string]chain.Wallet{"xmr": b.xmr, "ltc": b.ltc}
	clock := func() time.Time { return b.now }
	keeper := witnesstest.Keeper(b.store, "xmr", "ltc")
	sanctioned := func(_ context.Context, addresses ...string) (bool, error) {
		return slices.ContainsFunc(addresses, func(a string) bool { return slices.Contains(b.listed, a) }), b.noList
	}
	b.trades = &trades.Handler{
		Store: b.store, Secret: box, Window: time.Hour, ConfirmGrace: 2 * time.Hour, Clock: clock,
		Quoter: &exchange.Quoter{Settings: settings, Market: func(ticker string) (rates.Book, error) {
			price := money.MustDecimal(b.usd[ticker])
			return rates.Book{Bid: price, Ask: price}, b.price
		}},
		Sanctioned: sanctioned,
	}
	b.fills = &exchange.Trades{Store: b.store, Secret: box, Quoter: b.trades.Quoter, Sanctioned: sanctioned, Window: time.Hour}
	b.payments = &trades.Payments{
		Store: b.store, Secret: box, Settings: settings, Wallets: wallets, Sanctioned: sanctioned, Witness: keeper, Clock: clock,
	}
	b.watcher = &incoming.Watch{
		Store: b.store, Secret: box, Chains: map[string]incoming.Chain{}, Clock: clock,
		Scanned: func(id string, _ int64, _ time.Time) { b.looked = append(b.looked, id) },
	}
	b.pool = &incoming.Pool{
		Store: b.store, Wallets: map[string]incoming.Wallet{}, Level: func(string, int) {}, Log: slog.New(slog.DiscardHandler), Witness: keeper,
	}
	for id, w := range wallets {
		b.use(id, w, 5)
	}
	b.watcher.Nudge = func() { pgtest.SendWakeups(t, b.store, b.wake) }
	b.look(t)
	return b
}

func (b *bureau) wake(_ context.Context, w outbox.Wakeup) error {
	if b.away {
		return serviceerror.NewUnavailable("Temporal is away")
	}
	b.signals = append(b.signals, w.ID)
	return nil
}

func (b *bureau) look(t *testing.T) {
	t.Helper()
	for _, id := range []string{"xmr", "ltc"} {
		require.NoError(t, b.scan(t, id))
	}
}

// use has a wallet watched, the one of its chain, with so many addresses kept ready.
func (b *bureau) use(id string, w chain.Wallet, ready int64) {
	c := incoming.Chain{Receiver: ofWallet{w, id}, WalletIDs: []string{id}, Inventories: map[string]chain.Wallet{id: w}}
	if _, one := w.(chain.Extendable); one {
		c.Receiver = w
	}
	b.watcher.Chains[id] = c
	b.pool.Wallets[id] = incoming.Wallet{Maker: incoming.NextMaker{Wallet: w}, Ready: ready, Inventory: w}
}

// ofWallet shows whose the payments of a wallet are.
type ofWallet struct {
	chain.Receiver

	id string
}

func (o ofWallet) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	list, upTo, err := o.Receiver.Scan(ctx, from, to)
	for i := range list {
		list[i].WalletID = o.id
	}
	return list, upTo, err
}

// scan makes one pass over a wallet, by a watcher that has just started, and makes addresses.
func (b *bureau) scan(t *testing.T, walletID string) error {
	t.Helper()
	scan, err := b.watcher.Scanner(walletID)
	require.NoError(t, err)
	outcome, err := scan(t.Context())
	if err = errors.Join(err, outcome.Problem); err != nil {
		return err
	}
	return b.pool.TopUp(t.Context(), walletID)
}

func (b *bureau) request(amount string) exchange.NewTrade {
	return exchange.NewTrade{
		TradeID: secret.NewTradeID(), ClientCode: []byte("client"), TickerFrom: "xmr", NetworkFrom: "Mainnet",
		TickerTo: "ltc", NetworkTo: "Mainnet", AmountFrom: money.MustDecimal(amount), Address: "payee", Refund: "payer", Now: b.now,
	}
}

// fill makes a trade that the exchange fills itself.
func (b *bureau) fill(ctx context.Context, in exchange.NewTrade) (db.Trade, error) {
	pair, _ := b.trades.Quoter.Pair(in.TickerFrom, in.NetworkFrom, in.TickerTo, in.NetworkTo)
	return b.fills.Create(ctx, pair, in)
}

func (b *bureau) create(t *testing.T, in exchange.NewTrade) db.Trade {
	t.Helper()
	row, err := b.fill(t.Context(), in)
	require.NoError(t, err)
	return row
}

func (b *bureau) row(t *testing.T, id string) db.Trade {
	t.Helper()
	row, err := b.store.GetTrade(t.Context(), id)
	require.NoError(t, err)
	return row
}

// partner adds a partner's key and returns its secret.
func (b *bureau) partner(t *testing.T) string {
	t.Helper()
	key := secret.NewSecret()
	sealed, err := b.box.Seal([]byte(key), secret.AD{Table: "swap_keys", Column: "secret", ID: partnerKeyID})
	require.NoError(t, err)
	require.NoError(t, b.store.InsertSwapKey(t.Context(), db.InsertSwapKeyParams{
		ID: partnerKeyID, Class: "partner", KeyHash: secret.HashAPIKey(key), Prefix: "prt_", SecretSealed: sealed, CreatedAt: start,
	}))
	return key
}

// deposit shows money on the address of a trade.
func (b *bureau) deposit(row db.Trade, tx, amount string, confirmations uint64) chain.Deposit {
	atomic, err := money.MustDecimal(amount).ToAtomic(12)
	if err != nil {
		panic(err)
	}
	d := chain.Deposit{TxHash: tx, Address: row.DepositAddress, Amount: atomic, Confirmations: confirmations}
	b.xmr.show(d)
	return d
}

func (b *bureau) advance(t *testing.T, id string) trades.TradeState {
	t.Helper()
	b.look(t)
	state, err := b.trades.AdvanceTrade(t.Context(), trades.AdvanceTrade{TradeID: id, Now: b.now})
	require.NoError(t, err)
	return state
}

// send sees to every open transaction, as the workflow does, twice.
func (b *bureau) send(t *testing.T, state trades.TradeState) {
	t.Helper()
	for _, open := range state.Payments {
		for range 2 {
			require.NoError(t, b.payments.SendTradePayment(t.Context(), trades.TradePaymentTask{TradePaymentID: open.ID}))
		}
	}
}

// mine lets everything that was relayed be deep enough.
func (b *bureau) mine(t *testing.T, id string) {
	t.Helper()
	for _, p := range []*fakeWallet{b.xmr, b.ltc} {
		for hash := range p.relayed {
			p.mined[hash] = 2
		}
	}
	for range 2 {
		require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: id}))
	}
}

func (b *bureau) alerts(t *testing.T) []string {
	t.Helper()
	open, err := b.store.ListAlerts(t.Context(), db.ListAlertsParams{Before: math.MaxInt64, MaxRows: 100})
	require.NoError(t, err)
	var kinds []string
	for _, a := range open {
		kinds = append(kinds, a.Kind)
	}
	slices.Sort(kinds)
	return kinds
}

func (b *bureau) path(t *testing.T, id string) []string {
	t.Helper()
	events, err := b.store.TradeEvents(t.Context(), id)
	require.NoError(t, err)
	var all []string
	for _, e := range events {
		all = append(all, e.Status)
	}
	return all
}

func TestCreateTradeTwiceIsOneTrade(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	in := b.request("1")
	first := b.create(t, in)
	// 1 × 2 less 2 % less the network fee of 0.00001: 1.95999.
	require.Equal(t, "1.95999", first.AmountTo.String())
	require.Equal(t, "1.95999", first.Reserved.String())
	require.Equal(t, time.Hour, first.ExpiresAt.Sub(first.CreatedAt))
	b.price, b.listed = errors.New("stale"), []string{"payee"}
	second := b.create(t, in)
	require.Equal(t, first, second, "the trade stands, even where it would be refused now")
	free, err := b.store.FreeAddresses(t.Context(), db.FreeAddressesParams{WalletID: "xmr", Limit: 1000})
	require.NoError(t, err)
	require.Equal(t, int64(4), free, "one address was taken")
}

func TestTradeIsRefused(t *testing.T) {
	t.Parallel()
	refused := func(code string) func(error) bool { return func(err error) bool { return refusals.Is(err, code) } }
	outside := func(below bool) func(error) bool {
		return func(err error) bool {
			limit, ok := errors.AsType[*trade.LimitError](err)
			return ok && limit.Below == below && limit.Limits.Min.String() == "0.05" && limit.Limits.Max.String() == "20"
		}
	}
	for name, c := range map[string]struct {
		change func(*bureau, *exchange.NewTrade)
		is     func(error) bool
	}{
		"another pair":      {func(_ *bureau, in *exchange.NewTrade) { in.TickerTo = "btc" }, refused(refusals.Route)},
		"below the minimum": {func(_ *bureau, in *exchange.NewTrade) { in.AmountFrom = money.MustDecimal("0.0499") }, outside(true)},
		"above the maximum": {func(_ *bureau, in *exchange.NewTrade) { in.AmountFrom = money.MustDecimal("20.1") }, outside(false)},
		"stale price": {
			func(b *bureau, _ *exchange.NewTrade) { b.price = errors.New("stale") },
			func(err error) bool { return errors.Is(err, exchange.ErrStale) },
		},
		"listed payee":     {func(b *bureau, _ *exchange.NewTrade) { b.listed = []string{"payee"} }, refused(refusals.Blocked)},
		"listed refund":    {func(b *bureau, _ *exchange.NewTrade) { b.listed = []string{"payer"} }, refused(refusals.Blocked)},
		"no list in force": {func(b *bureau, _ *exchange.NewTrade) { b.noList = sanctions.ErrNoList }, refused(refusals.Route)},
		"nobody looks":     {func(b *bureau, in *exchange.NewTrade) { in.Now = b.now.Add(time.Hour) }, refused(refusals.Route)},
		"as much as one client may keep": {
			func(_ *bureau, in *exchange.NewTrade) { in.AmountFrom = money.MustDecimal("20") }, func(err error) bool { return err == nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			in := b.request("1")
			c.change(b, &in)
			_, err := b.fill(t.Context(), in)
			require.True(t, c.is(err), "%v", err)
			if err == nil {
				return
			}
			b.requireNoTrade(t, in.TradeID)
			free, err := b.store.FreeAddresses(t.Context(), db.FreeAddressesParams{WalletID: "xmr", Limit: 1000})
			require.NoError(t, err)
			require.EqualValues(t, 5, free, "no address is taken")
			wakeups, err := b.store.CountWakeups(t.Context())
			require.NoError(t, err)
			require.Empty(t, wakeups)
		})
	}
}

// TestTradesTogetherKeepNoMoreThanThereIs creates many trades at once. The inventory that
// they reserve stays within the caps for one client and for all.
func TestTradesTogetherKeepNoMoreThanThereIs(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.use("xmr", b.xmr, 40)
	for range 4 {
		b.look(t)
	}
	create := func(code []byte, n int) (made int) {
		var wait sync.WaitGroup
		var mu sync.Mutex
		for range n {
			wait.Go(func() {
				in := b.request("5") // keeps 9.8 LTC
				in.ClientCode = code
				if _, err := b.fill(context.Background(), in); err == nil {
					mu.Lock()
					made++
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		return made
	}
	require.Equal(t, 4, create([]byte("one"), 10), "40 % of 99.99 is four times 9.8")
	require.Equal(t, 4, create([]byte("two"), 10), "80 % in all is eight times")
	require.Zero(t, create(nil, 10), "without a cap for one client, that for all stays")
}

// TestDustKeepsNoInventory makes one large trade after the other and sends a few coins to
// each. None of them may reserve inventory that other trades could use.
func TestDustKeepsNoInventory(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	kept := func() string {
		inventory, err := b.store.ReservedInventory(t.Context(), "ltc")
		require.NoError(t, err)
		return inventory.Reserved.String()
	}
	ask := b.request("15")
	ask.ClientCode = nil
	row := b.create(t, ask)
	require.Equal(t, row.AmountTo.String(), kept())
	dust := b.deposit(row, "dust "+row.ID, "0.01", 0)
	require.Equal(t, trade.DepositDetected, b.advance(t, row.ID).Status)
	require.Equal(t, "0", kept())
	for range 5 {
		ask.TradeID = secret.NewTradeID()
		next := b.create(t, ask)
		b.deposit(next, "dust "+next.ID, "0.01", 0)
		b.advance(t, next.ID)
	}
	require.Equal(t, "0", kept())

	b.deposit(row, "part", "3", 0)
	dust.Missing = true
	b.xmr.show(dust)
	require.Equal(t, "3", b.advance(t, row.ID).Received.String(), "the next deposit takes the place of the one that vanished")
	require.Equal(t, b.row(t, row.ID).Rate.Mul(money.MustDecimal("3")).Floor(8).String(), kept())
	b.deposit(row, "part", "3", 2)
	state := b.advance(t, row.ID)
	require.Equal(t, trade.Processing, state.Status)
	b.send(t, state)
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
}

func TestTradeFromDepositToPayout(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.partner(t)
	in := b.request("1")
	key, hook := partnerKeyID, "https://partner.example/hook"
	in.KeyID, in.WebhookURL, in.Markup = &key, &hook, 100
	row := b.create(t, in)

	b.deposit(row, "deposit", "0.5", 0)
	b.look(t)
	b.look(t)
	require.Equal(t, []string{row.ID}, b.signals, "told once: a second look finds nothing new")
	b.deposit(row, "deposit", "0.5", 1)
	require.Equal(t, trade.Confirming, b.advance(t, row.ID).Status)
	b.deposit(row, "deposit", "0.5", 2)
	state := b.advance(t, row.ID)
	require.Equal(t, trade.Processing, state.Status)
	require.Len(t, state.Payments, 1)
	require.Len(t, state.Events, 3)
	require.Equal(t, state, b.advance(t, row.ID), "a second look changes nothing")

	b.send(t, state)
	require.Equal(t, 1, b.ltc.builds)
	require.Len(t, b.ltc.relayed, 1)
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
	b.mine(t, row.ID)
	require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)
	require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)

	require.Equal(t, []string{"deposit_detected", "confirming", "processing", "sending", "completed"}, b.path(t, row.ID))
	done := b.row(t, row.ID)
	require.Equal(t, row.Rate.Mul(money.MustDecimal("0.5")).Floor(8).String(), done.Payout.String())
	require.Zero(t, done.Reserved.Sign())
	require.Nil(t, done.ClientCode, "who asked is forgotten once a deposit is settled")
	for _, built := range b.ltc.built {
		require.Equal(t, done.Payout.String(), money.FromAtomic(built.Amount, 8).String())
		require.Equal(t, "payee", string(built.Raw))
	}
	balance, err := b.store.CommissionBalance(t.Context(), partnerKeyID)
	require.NoError(t, err)
	require.Len(t, balance, 1)
	require.Equal(t, int64(1), balance[0].Trades)
	require.Equal(t, row.CommissionRate.Mul(money.MustDecimal("0.5")).Floor(8).String(), balance[0].Amount.String())
	require.Empty(t, b.alerts(t))
}

// ready is a trade whose payout is planned, and the payout.
func (b *bureau) ready(t *testing.T) (db.Trade, trades.TradePaymentTask) {
	t.Helper()
	row := b.create(t, b.request("1"))
	b.deposit(row, "deposit of "+row.ID, "1", 2)
	state := b.advance(t, row.ID)
	require.Len(t, state.Payments, 1)
	return row, trades.TradePaymentTask{TradePaymentID: state.Payments[0].ID}
}

// claim takes the wallet for a payment, as a worker does that dies then.
func (b *bureau) claim(t *testing.T, payment int64) {
	t.Helper()
	p, err := b.store.GetTradePayment(t.Context(), payment)
	require.NoError(t, err)
	id, err := b.store.ClaimWallet(t.Context(), db.ClaimWalletParams{
		WalletID: p.WalletID, Purpose: "trade_payout", TradeIds: []string{p.TradeID}, CreatedAt: b.now,
	})
	require.NoError(t, err)
	n, err := b.store.JoinTransaction(t.Context(), db.JoinTransactionParams{TransactionID: id, Ids: []int64{payment}})
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
}

// TestPayoutSurvivesADeathOnEveryLine lets the worker die at each place of
// SendTradePayment, in the order of the lines, and run it again.
func TestPayoutSurvivesADeathOnEveryLine(t *testing.T) {
	t.Parallel()
	died := errors.New("died")
	cases := map[string]func(*testing.T, *bureau, trades.TradePaymentTask){
		"nowhere": func(*testing.T, *bureau, trades.TradePaymentTask) {},
		"after the claim": func(t *testing.T, b *bureau, in trades.TradePaymentTask) {
			t.Helper()
			b.claim(t, in.TradePaymentID)
		},
		"while building": func(_ *testing.T, b *bureau, _ trades.TradePaymentTask) { b.ltc.buildErr = died },
		"money locked":   func(_ *testing.T, b *bureau, _ trades.TradePaymentTask) { b.ltc.buildErr = chain.ErrLocked },
		"before the relay": func(_ *testing.T, b *bureau, _ trades.TradePaymentTask) {
			b.ltc.relayErr = died
		},
		"after the relay, before it was heard of": func(_ *testing.T, b *bureau, _ trades.TradePaymentTask) {
			b.ltc.relayErr, b.ltc.lost = died, true
		},
		"refused because it is known": func(_ *testing.T, b *bureau, _ trades.TradePaymentTask) {
			b.ltc.relayErr, b.ltc.lost = chain.ErrRefused, true
		},
	}
	for name, dies := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			row, task := b.ready(t)
			dies(t, b, task)
			for range 3 {
				_ = b.payments.SendTradePayment(t.Context(), task)
			}
			require.Len(t, b.ltc.relayed, 1, "one transaction reached the network")
			require.Equal(t, 1, b.ltc.builds)
			require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
			require.Empty(t, b.alerts(t))
		})
	}
}

func TestRefusedPayoutFailsTheTradeAndKeepsItsCoins(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.ltc.relayErr = chain.ErrRefused
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, trade.Failed, b.advance(t, row.ID).Status)
	require.Empty(t, b.ltc.relayed)
	require.Equal(t, []string{alert.TradeFailed, alert.TradePaymentFailed}, b.alerts(t))
	reservedInputs, err := b.store.ReservedInputs(t.Context(), "ltc")
	require.NoError(t, err)
	require.Len(t, reservedInputs, 1, "its bytes may live elsewhere: the coins are not given to another")

	b.now = b.now.Add(time.Minute)
	b.look(t)
	holdings, err := b.store.ExchangeHoldings(t.Context())
	require.NoError(t, err)
	require.Equal(t, "ltc", holdings[0].ID)
	require.Equal(t, money.FromAtomic(b.ltc.coins[reservedInputs[0]], 8).String(), holdings[0].Total.Sub(holdings[0].Unlocked).String(),
		"nor quoted, whatever the wallet remembers")
}

// TestPayoutThatItsWalletDoesNotMakeIsShown lets payouts wait for a wallet that has no
// money, that no worker serves, or that is not configured any more. Operators get an
// alert, which closes once the payout is sent.
func TestPayoutThatItsWalletDoesNotMakeIsShown(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.ltc.buildErr = chain.ErrNotEnough
	require.ErrorIs(t, b.payments.SendTradePayment(t.Context(), task), chain.ErrNotEnough)
	require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t), "without money it can never pay")
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Empty(t, b.alerts(t))
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)

	unserved, task := b.ready(t)
	b.now = b.now.Add(29 * time.Minute)
	b.advance(t, unserved.ID)
	require.Empty(t, b.alerts(t))
	b.now = b.now.Add(time.Minute)
	for range 2 {
		b.advance(t, unserved.ID)
		require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t))
	}
	stuck, err := (&operator.Admin{Store: b.store, Box: b.box, Clock: func() time.Time { return b.now }}).StuckTrades(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, stuck.Trades, 1)
	require.Equal(t, unserved.ID, stuck.Trades[0].TradeID)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Empty(t, b.alerts(t))

	removed, _ := b.ready(t)
	pairs := b.trades.Quoter.Pairs
	b.trades.Quoter.Pairs = nil
	_, err = b.trades.AdvanceTrade(t.Context(), trades.AdvanceTrade{TradeID: removed.ID, Now: b.now})
	require.Error(t, err)
	require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t))
	b.trades.Quoter.Pairs = pairs
	b.advance(t, removed.ID)
	require.Empty(t, b.alerts(t))
}

// TestUpdatedAtMovesWithWhatIsShown: with the status, with the received amount, and with
// the hashes.
func TestUpdatedAtMovesWithWhatIsShown(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	shown := func() time.Time {
		txs, err := b.store.TradeTransactions(t.Context(), row.ID)
		require.NoError(t, err)
		return txs.ChangedAt.UTC()
	}
	require.Equal(t, row.CreatedAt.UTC(), shown())
	moved := func(what string, do func()) {
		b.now = b.now.Add(time.Minute)
		do()
		require.Equal(t, b.now, shown(), what)
	}
	first := b.deposit(row, "first", "1", 0)
	moved("a deposit", func() { b.advance(t, row.ID) })
	first.Missing = true
	b.xmr.show(first)
	b.deposit(row, "second", "0.5", 0)
	moved("another in its place", func() { b.advance(t, row.ID) })
	b.now = b.now.Add(time.Minute)
	before := shown()
	b.advance(t, row.ID)
	require.Equal(t, before, shown(), "nothing new")
	b.deposit(row, "second", "0.5", 2)
	var state trades.TradeState
	moved("settled", func() { state = b.advance(t, row.ID) })
	b.deposit(row, "third", "1", 2)
	moved("sent", func() { b.send(t, state) })
	moved("a refund", func() { b.send(t, b.advance(t, row.ID)) })
}

// TestOneUnrelayedTransactionPerWallet lets a worker die with one built: the
// next payout relays it first, and takes other coins.
func TestOneUnrelayedTransactionPerWallet(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	first, task := b.ready(t)
	second, other := b.ready(t)
	b.ltc.relayErr = errors.New("the daemon is away")
	require.Error(t, b.payments.SendTradePayment(t.Context(), task))
	require.NoError(t, b.payments.SendTradePayment(t.Context(), other))
	require.Len(t, b.ltc.relayed, 2)
	require.Equal(t, trade.Sending, b.advance(t, first.ID).Status)
	require.Equal(t, trade.Sending, b.advance(t, second.ID).Status)
	spent := map[string]bool{}
	for _, built := range b.ltc.built {
		require.False(t, spent[built.Inputs[0]], "no coin is promised twice")
		spent[built.Inputs[0]] = true
	}
	// A payment waits while another worker may be building one.
	_, third := b.ready(t)
	_, fourth := b.ready(t)
	b.claim(t, third.TradePaymentID)
	b.now = b.now.Add(10 * time.Minute)
	require.Error(t, b.payments.SendTradePayment(t.Context(), fourth))
	require.Equal(t, 2, b.ltc.builds)
	// A claim that no worker can be building any more gives the wallet back.
	b.now = b.now.Add(time.Millisecond)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), fourth))
	require.NoError(t, b.payments.SendTradePayment(t.Context(), third))
	require.Len(t, b.ltc.relayed, 4)
}

func TestNothingIsBuiltForADepositThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	gone := chain.Deposit{TxHash: "deposit of " + row.ID, Address: row.DepositAddress, Amount: 1_000_000_000_000, Missing: true}
	b.xmr.show(gone)
	require.Error(t, b.payments.SendTradePayment(t.Context(), task), "the chain is asked, not the database")
	require.Zero(t, b.ltc.builds)
	state := b.advance(t, row.ID)
	require.True(t, state.Held)
	require.Equal(t, trade.Processing, state.Status)
	require.Equal(t, []string{alert.TradeUnbacked}, b.alerts(t))
	b.deposit(row, "deposit of "+row.ID, "1", 3)
	require.False(t, b.advance(t, row.ID).Held)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Empty(t, b.alerts(t))
}

func TestReorgOfAPayoutIsRelayedAgain(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	b.advance(t, row.ID)
	clear(b.ltc.relayed)
	require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: row.ID}))
	require.Len(t, b.ltc.relayed, 1, "the same bytes")
	require.Equal(t, 1, b.ltc.builds)
	clear(b.ltc.relayed)
	b.ltc.relayErr = chain.ErrRefused
	require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: row.ID}))
	require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t))
	b.mine(t, row.ID)
	require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: row.ID}))
	require.Empty(t, b.alerts(t))
}

func TestRefunds(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		amount string
		after  time.Duration
		want   trade.Status
		detail string
	}{
		"below the minimum":          {"0.01", 0, trade.Refunded, "below the minimum"},
		"above the maximum":          {"20.5", 0, trade.Refunded, "above the maximum"},
		"smaller than its chain fee": {"0.000000001", 0, trade.Failed, "smaller than the chain fee"},
		"after the window":           {"1", 2 * time.Hour, trade.Refunded, "after the deposit window"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			b.xmr.coins["large"] = 30_000_000_000_000
			row := b.create(t, b.request("1"))
			b.now = b.now.Add(c.after)
			b.deposit(row, "deposit", c.amount, 2)
			b.send(t, b.advance(t, row.ID))
			b.mine(t, row.ID)
			state := b.advance(t, row.ID)
			require.Equal(t, c.want, state.Status)
			require.Contains(t, state.Detail, c.detail)
			require.Zero(t, b.ltc.builds, "nothing is paid out")
			if c.want != trade.Refunded {
				require.Contains(t, b.alerts(t), alert.TradeFailed)
				return
			}
			require.Len(t, b.xmr.built, 1)
			for _, built := range b.xmr.built {
				require.Equal(t, "payer", string(built.Raw))
				require.Equal(t, c.amount, money.FromAtomic(built.Amount+built.Fee, 12).String())
			}
		})
	}
}

func TestFurtherDepositsAreSentBackOneByOne(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	b.mine(t, row.ID)
	require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)
	for i, amount := range []string{"1", "2"} {
		b.deposit(row, fmt.Sprint("further ", i), amount, 2)
		state := b.advance(t, row.ID)
		require.Equal(t, trade.Completed, state.Status)
		require.Len(t, state.Payments, 1)
		b.send(t, state)
		b.mine(t, row.ID)
		b.now = b.now.Add(time.Minute)
	}
	require.Len(t, b.xmr.relayed, 2)
	require.Len(t, b.ltc.relayed, 1)
	txs, err := b.store.TradeTransactions(t.Context(), row.ID)
	require.NoError(t, err)
	payments, err := b.store.TradePayments(t.Context(), row.ID)
	require.NoError(t, err)
	require.Equal(t, *payments[2].TxHash, txs.RefundTx, "the last refund")
	require.Equal(t, *payments[0].TxHash, txs.PayoutTx)
	require.Equal(t, "deposit of "+row.ID, txs.DepositTx)
}

func TestDepositFromASanctionedAddressIsKept(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.listed = []string{"listed"}
	row := b.create(t, b.request("1"))
	d := b.deposit(row, "deposit", "1", 0)
	b.xmr.origins[d.TxHash] = []string{"clean", "listed"}
	b.xmr.show(d)
	state := b.advance(t, row.ID)
	require.Equal(t, trade.Failed, state.Status)
	require.Empty(t, state.Payments)
	d.Confirmations = 9
	b.xmr.show(d)
	require.Empty(t, b.advance(t, row.ID).Payments, "nothing is sent, however deep it lies")
	require.Equal(t, []string{alert.DepositBlocked, alert.TradeFailed}, b.alerts(t))
}

func TestPayeeThatWasSanctionedMeanwhileIsNotPaid(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.listed = []string{"payee"}
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, trade.Failed, b.advance(t, row.ID).Status)
	require.Zero(t, b.ltc.builds)
}

// TestOriginThatWasSanctionedMeanwhileIsNotPaid lists the payer after the deposit was
// settled. Nothing leaves the wallet, neither a payout nor a refund.
func TestOriginThatWasSanctionedMeanwhileIsNotPaid(t *testing.T) {
	t.Parallel()
	for name, amount := range map[string]string{"payout": "1", "refund": "0.01"} {
		b := bureauOf(t)
		row := b.create(t, b.request("1"))
		d := b.deposit(row, "deposit", amount, 2)
		b.xmr.origins[d.TxHash] = []string{"sender"}
		b.xmr.show(d)
		state := b.advance(t, row.ID)
		require.Len(t, state.Payments, 1, name)
		b.listed = []string{"sender"}
		b.send(t, state)
		require.Equal(t, trade.Failed, b.advance(t, row.ID).Status, name)
		require.Zero(t, b.ltc.builds+b.xmr.builds, name)
		require.Contains(t, b.alerts(t), alert.DepositBlocked, name)

		b.listed = nil
		err := b.payments.RetryTradePayment(t.Context(), trades.RetryTradePayment{TradeID: row.ID, TradePaymentID: state.Payments[0].ID, Actor: "operator"})
		require.NoError(t, err, name)
		b.send(t, state)
		require.Zero(t, b.ltc.builds+b.xmr.builds, "a mark is never taken back: %s", name)
	}
}

func TestWatcherLosesNoSignal(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.deposit(row, "deposit", "1", 0)
	b.away = true
	require.NoError(t, b.scan(t, "xmr"))
	require.Empty(t, b.signals)
	b.away = false
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE wakeups SET next_at = now()")
	require.NoError(t, err)
	require.NoError(t, b.scan(t, "xmr"))
	require.Equal(t, []string{row.ID}, b.signals)
	b.signals = nil
	b.deposit(row, "deposit", "1", 1)
	b.deposit(row, "deposit", "1", 2)
	b.look(t)
	for depth := uint64(3); depth < 6; depth++ {
		b.deposit(row, "deposit", "1", depth)
		b.look(t)
	}
	require.Equal(t, []string{row.ID}, b.signals, "confirmations beyond those that are wanted are no news")
}
