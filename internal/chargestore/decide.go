package chargestore

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// AcceptUnderpaid confirms the charge with the payments that have their confirmations,
// and writes the consequences as Advance does. A second run changes nothing. It returns
// refusals.Accept if there is nothing to accept, or if the charge was confirmed without it.
// The caller holds the merchant's row, here and for marks.
func (s *Charges) AcceptUnderpaid(ctx context.Context, q *db.Queries, id string, now time.Time) error {
	return s.decide(ctx, q, id, now, func(c charge.Charge, f charge.Facts) (charge.Charge, []string, error) {
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
	})
}

// Mark marks the charge, and writes the consequences as Advance does. A charge that is
// marked as settled is confirmed with the payments that came. A second run changes nothing.
// It returns refusals.Accept if a confirmed charge would be marked as invalid.
func (s *Charges) Mark(ctx context.Context, q *db.Queries, id string, mark charge.Mark, now time.Time) error {
	return s.decide(ctx, q, id, now, func(c charge.Charge, f charge.Facts) (charge.Charge, []string, error) {
		// The facts of the chain come first: money that is there and counts needs no mark.
		advanced, events := charge.Advance(c, f, s.Rules)
		marked, more, err := charge.MarkAs(advanced, f, mark)
		if err != nil {
			return c, nil, refusals.New(refusals.Accept, err.Error())
		}
		return marked, append(events, more...), nil
	})
}

// decide makes a change that a merchant requests, and writes the wakeup of the charge's
// workflow.
func (s *Charges) decide(ctx context.Context, q *db.Queries, id string, now time.Time, requested change) error {
	if _, err := s.move(ctx, q, id, now, requested); err != nil {
		return err
	}
	return q.WakeCharges(ctx, []string{id})
}
