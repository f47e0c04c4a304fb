package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/books"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// vault is what the exchange holds, by ticker.
type vault map[string]money.Decimal

// holdings are the balances that the watchers last saw.
func holdings(ctx context.Context, conn *pgx.Conn) (vault, error) {
	rows, err := conn.Query(ctx, "SELECT ticker, total FROM exchange_wallets")
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
	for _, d := range b.deals {
		paid, fee := b.checkTrade(t, conn, d)
		want[d.from] = want[d.from].Add(money.MustDecimal(d.amount))
		want[d.to] = want[d.to].Sub(paid).Sub(fee)
	}
	var trades int
	var reserved money.Decimal
	require.NoError(t, conn.QueryRow(within(t), "SELECT count(*), coalesce(sum(reserved), 0) FROM trades").Scan(&trades, &reserved))
	require.Len(t, b.deals, trades)
	require.Zero(t, reserved.Sign(), "nothing is kept for trades that have ended")
	eventually(t, "the exchange holds what the books say", func(ctx context.Context) error {
		got, err := holdings(ctx, conn)
		if err == nil && (got["ltc"].Cmp(want["ltc"]) != 0 || got["xmr"].Cmp(want["xmr"]) != 0) {
			err = fmt.Errorf("the wallets hold %v, the books say %v", got, want)
		}
		return err
	})
}

// checkTrade says that the one deposit of a trade is what the customer sent, in
// the block in which the chain has it; and that the trade has one transaction,
// that it is mined, and that it and nothing else arrived.
func (b *pairSetup) checkTrade(t *testing.T, conn *pgx.Conn, d *deal) (paid, fee money.Decimal) {
	t.Helper()
	made, err := books.ReadTrade(within(t), conn, d.TradeID)
	require.NoError(t, err)
	seen := b.seen(t, d)
	seen.Height = b.height(t, d.from, d.deposit)
	require.Empty(t, made.Settled(seen))
	return b.mined(t, d, made)
}

// checkPayout is checkTrade for a trade whose deposit may be gone.
func (b *pairSetup) checkPayout(t *testing.T, conn *pgx.Conn, d *deal) (paid, fee money.Decimal) {
	t.Helper()
	made, err := books.ReadTrade(within(t), conn, d.TradeID)
	require.NoError(t, err)
	require.Empty(t, made.PaidOnce(b.seen(t, d)))
	return b.mined(t, d, made)
}

func (b *pairSetup) mined(t *testing.T, d *deal, made books.Trade) (paid, fee money.Decimal) {
	t.Helper()
	transfer := made.Payments[0]
	require.Positive(t, b.height(t, d.to, *transfer.TxHash), "mined")
	return *transfer.Paid, *transfer.Fee
}

// seen is what the customer knows of a trade.
func (b *pairSetup) seen(t *testing.T, d *deal) books.Seen {
	t.Helper()
	decimals := map[string]int32{"ltc": 8, "xmr": 12}[d.to]
	seen := books.Seen{
		Amount: money.MustDecimal(d.amount), Deposit: d.deposit,
		Pays: money.MustDecimal(pays(t, d.swap, d.amount, decimals)),
	}
	var err error
	seen.Paid, err = d.payee.receipts(within(t))
	require.NoError(t, err)
	delete(seen.Paid, d.void)
	seen.Back, err = d.refund.receipts(within(t))
	require.NoError(t, err)
	return seen
}

// height is the block that has a transaction.
func (b *pairSetup) height(t *testing.T, ticker, txHash string) int64 {
	t.Helper()
	if ticker == "xmr" {
		found, err := b.chain.Where(within(t), txHash)
		require.NoError(t, err)
		require.Equal(t, monero.Mined, found.State, txHash)
		return int64(found.Height)
	}
	depth, err := b.coins.Confirmations(within(t), txHash)
	require.NoError(t, err)
	require.Positive(t, depth, txHash)
	top, err := b.coins.Height(within(t))
	require.NoError(t, err)
	return int64(top-depth) + 1
}
