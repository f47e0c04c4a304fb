package charges

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// MarkCharge names a charge and what its merchant says of it.
type MarkCharge struct {
	ChargeID string
	Mark     charge.Mark
	// Now is the workflow's clock.
	Now time.Time
}

// MarkCharge marks the charge, and writes what follows as AdvanceCharge does, in
// one transaction: a charge that is marked as settled is confirmed with what has
// come. Run twice, the second run changes nothing and returns the same state.
// refusals.Accept when a confirmed charge is to be marked as invalid.
func (a *Handler) MarkCharge(ctx context.Context, in MarkCharge) (ChargeState, error) {
	return a.move(ctx, in.ChargeID, in.Now, func(_ context.Context, _ *db.Queries, c charge.Charge, f charge.Facts) (charge.Charge, []string, error) {
		// What the chain has shown comes first: money that is there and counts needs no
		// mark.
		advanced, events := charge.Advance(c, f, a.Rules)
		marked, more, err := charge.MarkAs(advanced, f, in.Mark)
		if err != nil {
			return c, nil, refusals.New(refusals.Accept, err.Error())
		}
		return marked, append(events, more...), nil
	})
}
