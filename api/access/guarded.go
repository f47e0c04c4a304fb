package access

import (
	"context"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Guarded runs a change of the account that needs a code while two-factor authentication is on.
// The change and the code's use are one transaction. change gets the merchant's row, which is
// locked meanwhile.
func (a Asker) Guarded(ctx context.Context, m db.Merchant, code *string, change func(q *db.Queries, held db.Merchant) error) error {
	onHeld := func(q *db.Queries) error {
		held, err := q.HoldMerchant(ctx, m.MerchantID)
		if err != nil {
			return NoSession(err)
		}
		if m.TotpEnabledAt == nil && held.TotpEnabledAt != nil {
			return httpapi.BadRequest("totp_code is required") // enabled meanwhile
		}
		if err := StillIn(m, held); err != nil {
			return err
		}
		return change(q, held)
	}
	if m.TotpEnabledAt == nil {
		return a.Store.Tx(ctx, onHeld)
	}
	return a.Code(ctx, m, "totp_code", Factor{TOTP: web.OrEmpty(code)}, onHeld)
}
