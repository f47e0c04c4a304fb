package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

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
func (b *market) checkBooks(t *testing.T) {
	t.Helper()
	conn := b.database(t)
	want := vault{"ltc": b.opening["ltc"], "xmr": b.opening["xmr"]}
	for _, d := range b.deals {
		b.checkDeposit(t, conn, d)
		paid, fee := b.checkPayout(t, conn, d)
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

// checkDeposit says that the one deposit of a trade is what the customer sent,
// in the block in which the chain has it.
func (b *market) checkDeposit(t *testing.T, conn *pgx.Conn, d *deal) {
	t.Helper()
	rows, err := conn.Query(within(t), "SELECT tx_hash, amount, height FROM trade_deposits WHERE trade_id = $1 AND gone_at IS NULL", d.TradeID)
	require.NoError(t, err)
	type deposit struct {
		Hash   string
		Amount money.Decimal
		Height *int64
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[deposit])
	require.NoError(t, err)
	require.Len(t, list, 1, d.TradeID)
	require.Equal(t, d.deposit, list[0].Hash)
	require.Zero(t, list[0].Amount.Cmp(money.MustDecimal(d.amount)))
	require.NotNil(t, list[0].Height)
	require.Equal(t, b.height(t, d.from, d.deposit), *list[0].Height, "the block of %s", d.deposit)
}

// checkPayout says that the trade has one transaction, that it is mined, and
// that it and nothing else arrived.
func (b *market) checkPayout(t *testing.T, conn *pgx.Conn, d *deal) (paid, fee money.Decimal) {
	t.Helper()
	rows, err := conn.Query(within(t), "SELECT kind, state, tx_hash, paid, fee FROM trade_payment_states WHERE trade_id = $1", d.TradeID)
	require.NoError(t, err)
	type transfer struct {
		Kind, State, Hash string
		Paid, Fee         money.Decimal
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[transfer])
	require.NoError(t, err)
	require.Len(t, list, 1, d.TradeID)
	made := list[0]
	require.Equal(t, "payout confirmed", made.Kind+" "+made.State)
	decimals := map[string]int32{"ltc": 8, "xmr": 12}[d.to]
	require.Equal(t, pays(t, d.swap, d.amount, decimals), made.Paid.String(), "the deposit × the locked rate")
	require.Positive(t, b.height(t, d.to, made.Hash), "mined")
	got, err := d.payee.receipts(within(t))
	require.NoError(t, err)
	require.Len(t, got, 1, "transactions to the payee of %s", d.TradeID)
	require.Zero(t, got[made.Hash].Cmp(made.Paid))
	back, err := d.refund.receipts(within(t))
	require.NoError(t, err)
	require.Empty(t, back, "nothing was sent back")
	return made.Paid, made.Fee
}

// height is the block that has a transaction.
func (b *market) height(t *testing.T, ticker, txHash string) int64 {
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
