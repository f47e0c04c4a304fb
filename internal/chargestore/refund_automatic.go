package chargestore

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
)

// automatic reports whether a refund of an amount needs no approval. Each maker of a shop
// has a daily sum: every person of the staff has their own, the merchant and the shop's
// keys share one. It returns refusals.StepUp if the session must confirm the password
// first.
func automatic(ctx context.Context, q *db.Queries, in NewRefund, m db.Merchant, amount money.Piconero) (bool, error) {
	switch {
	case in.MadeBy != "":
		return withinTheirDay(ctx, q, in, amount)
	case in.Leave == refund.NoLeave || !lets(m, amount, in.Now):
		return false, nil
	}
	made, err := q.RefundedByMerchant(ctx, db.RefundedByMerchantParams{MerchantID: in.MerchantID, Since: permission.DayOf(in.Now)})
	if err != nil || !refund.WithinADay(amount, made, m.RefundAutoUpTo) {
		return false, err
	}
	if in.Leave == refund.AfterStepUp {
		return false, refusals.New(refusals.StepUp, "the password is needed for a refund that needs no approval")
	}
	return true, nil
}

// lets reports whether the merchant's settings allow a refund of an amount without
// approval. While a raise of the settings is held, they allow none.
func lets(m db.Merchant, amount money.Piconero, now time.Time) bool {
	return amount <= m.RefundAutoUpTo && payout.HeldUntil(m.RefundHoldUntil, now) == nil
}

// staffHeld reports whether refunds of a shop's staff need approvals too, because a limit
// was raised a short time ago.
func staffHeld(ctx context.Context, q *db.Queries, merchantID string, now time.Time) (bool, error) {
	m, err := q.GetMerchant(ctx, merchantID)
	return err == nil && payout.HeldUntil(m.RefundHoldUntil, now) != nil, err
}

// withinTheirDay reports whether a person of the staff may refund this amount in addition
// today. It locks the person's row, so that two concurrent requests do not both find
// room.
func withinTheirDay(ctx context.Context, q *db.Queries, in NewRefund, more money.Piconero) (bool, error) {
	person, err := q.LockStaff(ctx, db.LockStaffParams{MerchantID: in.MerchantID, PersonID: in.MadeBy})
	if postgres.IsNotFound(err) {
		return false, refusals.New(refusals.Refund, "you do not work in this shop")
	}
	if err != nil {
		return false, err
	}
	// Read after the person's row is locked, because a raise of a sum also writes the hold.
	if held, err := staffHeld(ctx, q, in.MerchantID, in.Now); err != nil || held {
		return false, err
	}
	made, err := q.RefundedByPerson(ctx, db.RefundedByPersonParams{PersonID: in.MadeBy, MerchantID: in.MerchantID, Since: permission.DayOf(in.Now)})
	return permission.MayRefund(permission.Role(person.Role), more, made, person.RefundsADay), err
}

// StillAutomatic reports whether claims of a refund need no approval. A link can be kept
// for a year. Its claims need no approval while its maker may make such a refund. They
// wait for the merchant once the settings, the key, the work, the role or the sum has ended.
func StillAutomatic(ctx context.Context, q *db.Queries, r db.Refund, now time.Time) (bool, error) {
	if !r.Automatic {
		return false, nil
	}
	if r.MadeBy == nil {
		return shopStillRefunds(ctx, q, r, now)
	}
	if held, err := staffHeld(ctx, q, r.MerchantID, now); err != nil || held {
		return false, err
	}
	person, err := q.GetStaff(ctx, db.GetStaffParams{MerchantID: r.MerchantID, PersonID: *r.MadeBy})
	if postgres.IsNotFound(err) {
		return false, nil
	}
	return err == nil && permission.MayRefund(permission.Role(person.Role), r.Amount, 0, person.RefundsADay), err
}

// shopStillRefunds is StillAutomatic for a refund that the merchant or a key made.
func shopStillRefunds(ctx context.Context, q *db.Queries, r db.Refund, now time.Time) (bool, error) {
	m, err := q.GetMerchant(ctx, r.MerchantID)
	if err != nil || !lets(m, r.Amount, now) {
		return false, err
	}
	if r.MadeWith == nil {
		return true, nil
	}
	return q.IsKeyInForce(ctx, r.MadeWith)
}
