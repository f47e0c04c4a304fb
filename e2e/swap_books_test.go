package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// vault is what the exchange holds, by ticker.
type vault map[string]money.Decimal

// holdings are the balances that the watchers last saw.
func holdings(ctx context.Context, conn *pgx.Conn) (vault, error) {
	rows, err := conn.Query(ctx, "SELECT ticker, total FROM wallets WHERE role = 'exchange'")
	if err != nil {
		return nil, err
	}
	held := vault{}
	var ticker string
	var total money.Decimal
	_, err = pgx.ForEachRow(rows, []any{&ticker, &total}, func() error {
		held[ticker] = total
		return nil
	})
	return held, err
}

// checkBooks compares every trade with the chains and with what the customer
// did, and the exchange's balances with the sum of all trades.
func (b *pairSetup) checkBooks(t *testing.T) {
	t.Helper()
	conn := b.database(t)
	want := vault{"ltc": b.opening["ltc"], "xmr": b.opening["xmr"]}
	forgotten := 0
	for _, d := range b.deals {
		for ticker, more := range b.checkDeal(t, conn, d) {
			want[ticker] = want[ticker].Add(more)
		}
		if d.forgotten {
			forgotten++
		}
	}
	var trades int
	var reserved money.Decimal
	require.NoError(t, conn.QueryRow(within(t), `SELECT count(*), coalesce(sum(reserved) FILTER (WHERE status <> 'awaiting_deposit'), 0)
		FROM trades`).Scan(&trades, &reserved))
	require.Len(t, b.deals, trades-b.before+forgotten)
	require.Zero(t, reserved.Sign(), "nothing is kept for trades that have ended")
	eventually(t, "the exchange holds what the books say", func(ctx context.Context) error {
		got, err := holdings(ctx, conn)
		if err == nil && (got["ltc"].Cmp(want["ltc"]) != 0 || got["xmr"].Cmp(want["xmr"]) != 0) {
			err = fmt.Errorf("the wallets hold %v, the books say %v", got, want)
		}
		return err
	})
}

// checkDeal compares one trade, and returns what it has brought the exchange, by
// ticker: less than zero where it took.
func (b *pairSetup) checkDeal(t *testing.T, conn *pgx.Conn, d *deal) vault {
	t.Helper()
	amount := money.MustDecimal(d.amount)
	switch {
	case d.deposit == "":
		made, err := fixture.ReadTrade(within(t), conn, d.TradeID)
		require.NoError(t, err)
		require.Empty(t, made.Untouched(b.seen(t, d)))
		return nil
	case d.refunded:
		made, err := fixture.ReadTrade(within(t), conn, d.TradeID)
		require.NoError(t, err)
		seen := b.seen(t, d)
		seen.Height = b.height(t, d.from, d.deposit)
		require.Empty(t, made.SentBack(seen))
		require.Positive(t, b.height(t, d.from, *made.Payments[0].TxHash), "mined")
		return vault{d.from: amount.Sub(*made.Payments[0].Paid).Sub(*made.Payments[0].Fee)}
	case d.forgotten:
		paid, fee := b.checkForgotten(t, conn, d)
		return vault{d.from: amount, d.to: money.Decimal{}.Sub(paid).Sub(fee)}
	}
	paid, fee := b.checkTrade(t, conn, d)
	return vault{d.from: amount, d.to: money.Decimal{}.Sub(paid).Sub(fee)}
}

// checkForgotten requires that a trade that the database has forgotten was paid
// once, and that its transaction is in the books all the same.
func (b *pairSetup) checkForgotten(t *testing.T, conn *pgx.Conn, d *deal) (paid, fee money.Decimal) {
	t.Helper()
	made, err := fixture.ReadTrade(within(t), conn, d.TradeID)
	require.NoError(t, err)
	require.Empty(t, made.Deposits)
	require.Empty(t, made.Payments)
	seen := b.seen(t, d)
	require.Empty(t, seen.Back)
	require.Len(t, seen.Paid, 1, "paid once")
	for hash, arrived := range seen.Paid {
		require.NoError(t, conn.QueryRow(within(t), "SELECT paid, fee FROM outgoing_transactions WHERE tx_hash = $1", hash).Scan(&paid, &fee))
		require.Zero(t, paid.Cmp(arrived), "%s in the books, %s arrived", paid, arrived)
	}
	return paid, fee
}

// checkTrade requires that the one deposit of a trade is the customer's
// transaction, in the block in which the chain has it. The trade has one
// transaction, which is mined, and only that one arrived.
func (b *pairSetup) checkTrade(t *testing.T, conn *pgx.Conn, d *deal) (paid, fee money.Decimal) {
	t.Helper()
	made, err := fixture.ReadTrade(within(t), conn, d.TradeID)
	require.NoError(t, err)
	seen := b.seen(t, d)
	seen.Height = b.height(t, d.from, d.deposit)
	require.Empty(t, made.Settled(seen))
	return b.mined(t, d, made)
}

// checkPayout is checkTrade for a trade whose deposit may be gone.
func (b *pairSetup) checkPayout(t *testing.T, conn *pgx.Conn, d *deal) (paid, fee money.Decimal) {
	t.Helper()
	made, err := fixture.ReadTrade(within(t), conn, d.TradeID)
	require.NoError(t, err)
	require.Empty(t, made.PaidOnce(b.seen(t, d)))
	return b.mined(t, d, made)
}

func (b *pairSetup) mined(t *testing.T, d *deal, made fixture.Trade) (paid, fee money.Decimal) {
	t.Helper()
	payment := made.Payments[0]
	require.Positive(t, b.height(t, d.to, *payment.TxHash), "mined")
	return *payment.Paid, *payment.Fee
}

// seen is what the customer knows of a trade.
func (b *pairSetup) seen(t *testing.T, d *deal) fixture.Seen {
	t.Helper()
	paid := b.arrived(t, d.payee)
	delete(paid, d.void)
	return fixture.Seen{
		Amount: money.MustDecimal(d.amount), Deposit: d.deposit,
		Pays: money.MustDecimal(pays(t, d.swap, d.amount, fixture.Decimals(d.to))),
		Paid: paid, Back: b.arrived(t, d.refund),
	}
}

// height is the block that has a transaction.
func (b *pairSetup) height(t *testing.T, ticker, txHash string) int64 {
	t.Helper()
	if ticker == "xmr" {
		found, err := b.Chain.Where(within(t), txHash)
		require.NoError(t, err)
		require.Equal(t, monero.Mined, found.State, txHash)
		return int64(found.Height)
	}
	depth, err := b.Coins.Confirmations(within(t), txHash)
	require.NoError(t, err)
	require.Positive(t, depth, txHash)
	top, err := b.Coins.Height(within(t))
	require.NoError(t, err)
	return int64(top-depth) + 1
}
