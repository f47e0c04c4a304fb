package refunds

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/staff"
)

// automatic says whether a refund of an amount needs no approval. Each of a shop's makers
// has a sum a day: a person of the staff their own, the merchant and the shop's keys one
// together. refusals.StepUp where the session that makes it has to give the password first.
func automatic(ctx context.Context, q *db.Queries, in CreateRefund, m db.Merchant, amount money.Piconero) (bool, error) {
	switch {
	case in.MadeBy != "":
		return withinTheirDay(ctx, q, in, amount)
	case in.Leave == refund.NoLeave || !lets(m, amount, in.Now):
		return false, nil
	}
	made, err := q.RefundedByMerchant(ctx, db.RefundedByMerchantParams{MerchantID: in.MerchantID, Since: staff.Today(in.Now)})
	if err != nil || !refund.WithinADay(amount, made, m.RefundAutoUpTo) {
		return false, err
	}
	if in.Leave == refund.AfterStepUp {
		return false, refusals.New(refusals.StepUp, "the password is needed for a refund that needs no approval")
	}
	return true, nil
}

// lets reports whether the merchant's settings let a refund of an amount go by itself. While
// a raise of them is held they let none.
func lets(m db.Merchant, amount money.Piconero, now time.Time) bool {
	return amount <= m.RefundAutoUpTo && payout.HeldUntil(m.RefundHoldUntil, now) == nil
}

// staffHeld says whether refunds of a shop's staff wait for approvals too, since more was let
// go a short time ago.
func staffHeld(ctx context.Context, q *db.Queries, merchantID string, now time.Time) (bool, error) {
	m, err := q.GetMerchant(ctx, merchantID)
	return err == nil && payout.HeldUntil(m.RefundHoldUntil, now) != nil, err
}

// withinTheirDay says whether a person of the staff may refund so much more today. The
// person's row is held, so that two requests at once do not both find room.
func withinTheirDay(ctx context.Context, q *db.Queries, in CreateRefund, more money.Piconero) (bool, error) {
	person, err := q.LockStaff(ctx, db.LockStaffParams{MerchantID: in.MerchantID, PersonID: in.MadeBy})
	if postgres.IsNotFound(err) {
		return false, refusals.New(refusals.Refund, "you do not work in this shop")
	}
	if err != nil {
		return false, err
	}
	// Read after the person's row is held: a sum is raised together with the hold.
	if held, err := staffHeld(ctx, q, in.MerchantID, in.Now); err != nil || held {
		return false, err
	}
	made, err := q.RefundedByPerson(ctx, db.RefundedByPersonParams{PersonID: in.MadeBy, MerchantID: in.MerchantID, Since: staff.Today(in.Now)})
	return staff.MayRefund(staff.Role(person.Role), more, made, person.RefundsADay), err
}

// stillAutomatic says whether claims of a refund need no approval. A link can be kept for
// a year: it goes by itself while who made it may make such a refund, and waits for the
// merchant once the settings, the work, the role or the sum has ended.
func stillAutomatic(ctx context.Context, q *db.Queries, r db.Refund, now time.Time) (bool, error) {
	if !r.Automatic {
		return false, nil
	}
	if r.MadeBy == nil {
		m, err := q.GetMerchant(ctx, r.MerchantID)
		return err == nil && lets(m, r.Amount, now), err
	}
	if held, err := staffHeld(ctx, q, r.MerchantID, now); err != nil || held {
		return false, err
	}
	person, err := q.GetStaff(ctx, db.GetStaffParams{MerchantID: r.MerchantID, PersonID: *r.MadeBy})
	if postgres.IsNotFound(err) {
		return false, nil
	}
	return err == nil && staff.MayRefund(staff.Role(person.Role), r.Amount, 0, person.RefundsADay), err
}
