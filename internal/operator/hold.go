package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// MaxHold is how long an operator may have payments out wait, from now.
const MaxHold = 720 * time.Hour

// Hold has a merchant's sweeps and refunds wait until a moment, at most MaxHold from
// now. It lengthens a hold and never shortens one, so asking again changes nothing.
func (d *Admin) Hold(ctx context.Context, who Actor, merchantID string, until time.Time) (Merchant, error) {
	now := d.now()
	until = until.UTC().Truncate(time.Millisecond)
	if !until.After(now) || until.After(now.Add(MaxHold)) {
		return Merchant{}, refuse("until must be in the future, and at most %d hours from now", int(MaxHold.Hours()))
	}
	err := d.change(ctx, merchantID, func(q *db.Queries, m db.Merchant) error {
		before := payout.HeldUntil(m.PayoutHoldUntil, now)
		if before != nil && !before.Before(until) {
			return nil
		}
		if err := q.HoldPayouts(ctx, db.HoldPayoutsParams{MerchantID: merchantID, Until: until}); err != nil {
			return err
		}
		return d.record(ctx, q, who, entry{"merchant.hold", merchantID, fromTo{wire.TimeOrNil(before), wire.TimeOf(until)}})
	})
	if err != nil {
		return Merchant{}, err
	}
	return d.Merchant(ctx, merchantID)
}
