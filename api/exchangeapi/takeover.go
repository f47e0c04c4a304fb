package exchangeapi

import (
	"context"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// TakeOver gives a trade without a key to the caller's key, with its markup in basis points,
// and returns the changed trade. It changes nothing if the caller has no key, if the trade has
// another key, if another provider fills it (which pays no commission), or after a deposit was
// seen: a deposit is paid at the terms under which it was sent. decimals are those of the
// payout coin.
func (f *Front) TakeOver(ctx context.Context, row db.Trade, c Caller, markup int64, decimals int32) (db.Trade, error) {
	if c.KeyID == "" || !free(row) {
		return row, nil
	}
	// The lock blocks new deposits, because they refer to the row.
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

// free reports whether a trade has no key, is filled by the exchange itself and still awaits
// its deposit.
func free(row db.Trade) bool {
	return row.WalletFrom != nil && row.KeyID == nil && row.Markup == 0 && trade.Status(row.Status) == trade.AwaitingDeposit
}
