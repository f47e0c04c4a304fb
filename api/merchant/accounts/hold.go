package accounts

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// redirected notifies the merchant that the address of sweeps was set, and makes sweeps wait if
// it changed. The first payout address makes no sweep wait, because there was no address before.
// Setting the same address again makes none wait either. held is the row before the change.
func (h *Settings) redirected(ctx context.Context, q *db.Queries, held db.Merchant, kind notice.Kind, changed func() (bool, error)) error {
	var until *time.Time
	first := held.PayoutAddressSealed == nil && held.PayoutHoldUntil == nil // the removal of an address leaves a hold
	if !first && h.PayoutHold > 0 {
		differs, err := changed()
		if err != nil {
			return err
		}
		if differs {
			end := h.holdEnds()
			until = &end
			if err := q.HoldPayouts(ctx, db.HoldPayoutsParams{MerchantID: held.MerchantID, Until: end}); err != nil {
				return err
			}
		}
	}
	return h.Notices.Enqueue(ctx, q, held, kind, until)
}

// holdEnds returns the time until which a change made now is on hold.
func (h *Settings) holdEnds() time.Time {
	return h.Clock().Add(h.PayoutHold).UTC().Truncate(time.Millisecond)
}

// differs reports whether a sealed value differs from a text. A missing value differs from every
// text.
func (h *Settings) differs(sealed []byte, place secret.AD, text string) (bool, error) {
	if sealed == nil {
		return true, nil
	}
	plain, err := h.Box.Unseal(sealed, place)
	return string(plain) != text, err
}
