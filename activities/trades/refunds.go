package trades

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
)

const (
	// payoutsFirst is how long a planned payout of the wallet delays refunds. A payout that
	// waits longer has another cause.
	payoutsFirst = 10 * time.Minute
	// refundsPerHour bounds the refunds of one trade in refundWindow.
	refundsPerHour = 30
	refundWindow   = time.Hour
)

// refundsWait returns how many more refunds of a trade may be made now, and, if there are
// none, why.
func refundsWait(ctx context.Context, q *db.Queries, tradeID, walletID string, now time.Time) (room int, why string, err error) {
	payouts, err := q.PayoutsWait(ctx, db.PayoutsWaitParams{WalletID: walletID, Since: now.Add(-payoutsFirst)})
	if err != nil {
		return 0, "", err
	}
	if payouts {
		return 0, "payouts of the wallet come first", nil
	}
	made, err := q.RefundsSince(ctx, db.RefundsSinceParams{TradeID: tradeID, Since: now.Add(-refundWindow)})
	if err != nil || made < refundsPerHour {
		return refundsPerHour - int(made), "", err
	}
	return 0, "a trade has at most 30 refunds in an hour", nil
}
