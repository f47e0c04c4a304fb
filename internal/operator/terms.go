package operator

import (
	"context"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Setting is a value that is to be set; without To it is the configured one
// again, and one that is not Given stays.
type Setting[T any] struct {
	Given bool
	To    *T
}

func (s Setting[T]) or(present *T) *T {
	if s.Given {
		return s.To
	}
	return present
}

// Terms are what a merchant may have of their own.
type Terms struct {
	// FeeRate is a share: 0.005 is half a percent.
	FeeRate Setting[money.Decimal]
	// Confirmations is a number of blocks, 1 to 1000.
	Confirmations Setting[int32]
	// Tolerance is the underpayment, in percent, that still confirms a charge.
	Tolerance Setting[money.Decimal]
	// PendingMax is how many charges may be pending at the same time, 1 to
	// MaxPendingCharges.
	PendingMax Setting[int32]
}

// MaxPendingCharges is the most that a merchant may be allowed to have pending.
const MaxPendingCharges = 10_000_000

func (t Terms) check() error {
	if rate := t.FeeRate.To; rate != nil && !payout.IsRate(*rate) {
		return errRate()
	}
	if n := t.Confirmations.To; n != nil && (*n < 1 || *n > charge.MaxConfirmations) {
		return refuse("confirmations_required must be 1 to %d", charge.MaxConfirmations)
	}
	if n := t.PendingMax.To; n != nil && (*n < 1 || *n > MaxPendingCharges) {
		return refuse("pending_charges_max must be 1 to %d", MaxPendingCharges)
	}
	const decimals = 6
	if pct := t.Tolerance.To; pct != nil && (pct.Sign() < 0 || pct.Cmp(money.DecimalFromInt(100)) > 0 || pct.Decimals() > decimals) {
		return refuse("tolerance_percent must be 0 to 100, with at most %d decimals", decimals)
	}
	return nil
}

// ownTerms are a merchant's terms as the audit shows them.
type ownTerms struct {
	FeeRate       *money.Decimal `json:"fee_rate"`
	Confirmations *int32         `json:"confirmations_required"`
	Tolerance     *money.Decimal `json:"tolerance_percent"`
	PendingMax    *int32         `json:"pending_charges_max"`
}

func (o ownTerms) same(p ownTerms) bool {
	return sameDecimal(o.FeeRate, p.FeeRate) && sameDecimal(o.Tolerance, p.Tolerance) &&
		sameNumber(o.Confirmations, p.Confirmations) && sameNumber(o.PendingMax, p.PendingMax)
}

func sameNumber(a, b *int32) bool { return a == b || (a != nil && b != nil && *a == *b) }

func sameDecimal(a, b *money.Decimal) bool {
	return a == b || (a != nil && b != nil && a.Cmp(*b) == 0)
}

// SetTerms sets a merchant's own terms. They apply to new charges and payouts;
// existing ones keep theirs.
func (d *Admin) SetTerms(ctx context.Context, who Actor, merchantID string, t Terms) (Merchant, error) {
	if err := t.check(); err != nil {
		return Merchant{}, err
	}
	return d.change(ctx, merchantID, func(q *db.Queries, m db.Merchant) error {
		before := ownTerms{m.FeeRate, m.ConfirmationsRequired, m.TolerancePercent, m.PendingChargesMax}
		after := ownTerms{
			t.FeeRate.or(m.FeeRate), t.Confirmations.or(m.ConfirmationsRequired), t.Tolerance.or(m.TolerancePercent),
			t.PendingMax.or(m.PendingChargesMax),
		}
		if after.same(before) {
			return nil
		}
		if err := q.SetTerms(ctx, db.SetTermsParams{
			MerchantID: merchantID, FeeRate: after.FeeRate, ConfirmationsRequired: after.Confirmations, TolerancePercent: after.Tolerance,
			PendingChargesMax: after.PendingMax,
		}); err != nil {
			return err
		}
		return d.record(ctx, q, who, entry{"merchant.terms", merchantID, fromTo{before, after}})
	})
}
