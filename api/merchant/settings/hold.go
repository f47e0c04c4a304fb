package settings

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// redirected tells the merchant that where sweeps go was set, and makes them
// wait when it was changed. Before the first payout address there was nowhere
// to go: it makes nobody wait, and neither does what is set to what it was.
// held is the row before the change.
func (h *Handler) redirected(ctx context.Context, q *db.Queries, held db.Merchant, kind notice.Kind, changed func() (bool, error)) error {
	var until *time.Time
	first := held.PayoutAddressSealed == nil && held.PayoutHoldUntil == nil // one that was ended left a hold
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

// holdEnds is until when a change waits that is made now.
func (h *Handler) holdEnds() time.Time {
	return h.Clock().Add(h.PayoutHold).UTC().Truncate(time.Millisecond)
}

// differs says whether a sealed value is another than a text; none differs
// from every text.
func (h *Handler) differs(sealed []byte, place secret.AD, text string) (bool, error) {
	if sealed == nil {
		return true, nil
	}
	plain, err := h.Box.Unseal(sealed, place)
	return string(plain) != text, err
}
