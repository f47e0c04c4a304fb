package charges

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// MarkCharge names a charge and its merchant's mark.
type MarkCharge struct {
	ChargeID string
	Mark     charge.Mark
	// Now is the workflow's clock.
	Now time.Time
}

// MarkCharge marks the charge, and writes the consequences as AdvanceCharge does, in one
// transaction. A charge that is marked as settled is confirmed with the payments that
// came. A second run changes nothing and returns the same state. It returns
// refusals.Accept if a confirmed charge would be marked as invalid.
func (a *Handler) MarkCharge(ctx context.Context, in MarkCharge) (ChargeState, error) {
	return a.move(ctx, in.ChargeID, in.Now, func(_ context.Context, _ *db.Queries, c charge.Charge, f charge.Facts) (charge.Charge, []string, error) {
		// The facts of the chain come first: money that is there and counts needs no mark.
		advanced, events := charge.Advance(c, f, a.Rules)
		marked, more, err := charge.MarkAs(advanced, f, in.Mark)
		if err != nil {
			return c, nil, refusals.New(refusals.Accept, err.Error())
		}
		return marked, append(events, more...), nil
	})
}
