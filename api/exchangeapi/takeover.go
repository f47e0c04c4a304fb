package exchangeapi

import (
	"context"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// TakeOver gives a trade that nobody's key made to the caller's key, with its
// markup in basis points, and returns the trade as it is then. Nothing changes
// without a key, for a trade of another key or of another provider, who pays no
// commission, or once a deposit has been seen: what a deposit was sent for is
// paid. decimals are those of the coin that is paid out.
func (f *Front) TakeOver(ctx context.Context, row db.Trade, c Caller, markup int64, decimals int32) (db.Trade, error) {
	if c.KeyID == "" || !free(row) {
		return row, nil
	}
	// The lock keeps deposits out: they refer to the row.
	err := f.Store.Tx(ctx, func(q *db.Queries) error {
		var err error
		if row, err = q.LockTrade(ctx, row.ID); err != nil || !free(row) {
			return err
		}
		deposits, err := q.TradeDeposits(ctx, row.ID)
		if err != nil || len(deposits) > 0 {
			return err
		}
		rate, commission := trade.Marked(row.Rate, markup)
		row, err = q.TakeOverTrade(ctx, db.TakeOverTradeParams{
			ID: row.ID, KeyID: c.KeyRef(), Markup: int32(markup), Rate: rate, CommissionRate: commission,
			AmountTo: row.AmountFrom.Mul(rate).Floor(decimals), Now: f.Now(),
		})
		return err
	})
	return row, err
}

// free says that a trade is nobody's, filled by the exchange itself, and waits
// for its deposit.
func free(row db.Trade) bool {
	return row.WalletFrom != nil && row.KeyID == nil && row.Markup == 0 && trade.Status(row.Status) == trade.AwaitingDeposit
}
