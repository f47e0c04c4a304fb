package charges

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// AcceptUnderpaid names a charge whose merchant accepts the payments that came.
type AcceptUnderpaid struct {
	ChargeID string
	// Now is the workflow's clock.
	Now time.Time
}

// AcceptUnderpaid confirms the charge with the payments that have their confirmations,
// and writes the consequences as AdvanceCharge does, in one transaction. A second run
// changes nothing and returns the same state. It returns refusals.Accept if there is
// nothing to accept, or if the charge was confirmed without it.
func (a *Handler) AcceptUnderpaid(ctx context.Context, in AcceptUnderpaid) (ChargeState, error) {
	return a.move(ctx, in.ChargeID, in.Now, accept)
}

func accept(ctx context.Context, q *db.Queries, c charge.Charge, f charge.Facts) (charge.Charge, []string, error) {
	after, err := charge.AcceptUnderpaid(c, f)
	if err != nil {
		return c, nil, refusals.New(refusals.Accept, err.Error())
	}
	if after.ConfirmFrom == c.ConfirmFrom {
		return after, nil, nil
	}
	return after, nil, q.SaveAcceptance(ctx, db.SaveAcceptanceParams{
		ID: c.ID, ConfirmFromPiconero: after.ConfirmFrom, UnderpaidAcceptedAt: after.UnderpaidAcceptedAt,
	})
}
