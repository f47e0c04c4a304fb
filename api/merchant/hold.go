package merchant

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/timestamp"
)

// redirected tells the merchant that where sweeps go was set, and makes them
// wait when it was changed. Before the first payout address there was nowhere
// to go: it makes nobody wait, and neither does what is set to what it was.
// held is the row before the change.
func (a *app) redirected(ctx context.Context, q *db.Queries, held db.Merchant, kind notice.Kind, changed func() (bool, error)) error {
	var until *time.Time
	if held.PayoutAddressSealed != nil && a.PayoutHold > 0 {
		differs, err := changed()
		if err != nil {
			return err
		}
		if differs {
			end := a.Clock().Add(a.PayoutHold).UTC().Truncate(time.Millisecond)
			until = &end
			if err := q.HoldPayouts(ctx, db.HoldPayoutsParams{MerchantID: held.MerchantID, Until: end}); err != nil {
				return err
			}
		}
	}
	return a.notices.Enqueue(ctx, q, held, kind, until)
}

// differs says whether a sealed value is another than a text; none differs
// from every text.
func (a *app) differs(sealed []byte, place secret.AD, text string) (bool, error) {
	if sealed == nil {
		return true, nil
	}
	plain, err := a.Box.Unseal(sealed, place)
	return string(plain) != text, err
}

// heldUntil is until when sweeps of a merchant wait; nil when they do not.
func (a *app) heldUntil(m db.Merchant) *timestamp.Time {
	if m.PayoutHoldUntil == nil || !a.Clock().Before(*m.PayoutHoldUntil) {
		return nil
	}
	return timestamp.OfPtr(m.PayoutHoldUntil)
}

// payoutPlace is where a merchant's payout address is stored, swapPlace where
// the address is that automatic conversion pays.
func payoutPlace(merchantID string) secret.AD {
	return secret.AD{Table: "merchants", Column: "payout_address", ID: merchantID}
}

func swapPlace(merchantID string) secret.AD {
	return secret.AD{Table: "merchants", Column: "auto_swap_address", ID: merchantID}
}
