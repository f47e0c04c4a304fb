package chargestore

import (
	"cmp"
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/wire"
)

// Refund is a refund with its claims.
type Refund struct {
	Row    db.Refund
	Claims []db.ClaimsOfRow
}

// LoadRefund reads a refund and its claims. If there is none, postgres.IsNotFound reports true
// for the error.
func LoadRefund(ctx context.Context, q *db.Queries, id string) (Refund, error) {
	row, err := q.GetRefund(ctx, id)
	if err != nil {
		return Refund{}, err
	}
	list, err := WithClaims(ctx, q, []db.Refund{row})
	if err != nil {
		return Refund{}, err
	}
	return list[0], nil
}

// LockRefund loads a refund and locks it until the transaction ends. It returns
// refusals.Missing if there is none.
func LockRefund(ctx context.Context, q *db.Queries, id string) (Refund, error) {
	if _, err := q.LockRefund(ctx, id); postgres.IsNotFound(err) {
		return Refund{}, refusals.New(refusals.Missing, "refund not found")
	} else if err != nil {
		return Refund{}, err
	}
	return LoadRefund(ctx, q, id)
}

// WithClaims loads the claims of the given refunds.
func WithClaims(ctx context.Context, q *db.Queries, rows []db.Refund) ([]Refund, error) {
	list, at, ids := make([]Refund, len(rows)), map[string]int{}, make([]string, len(rows))
	for i, r := range rows {
		list[i].Row, at[r.ID], ids[i] = r, i, r.ID
	}
	claims, err := q.ClaimsOf(ctx, ids)
	for _, c := range claims {
		of := &list[at[c.RefundClaim.RefundID]]
		of.Claims = append(of.Claims, c)
	}
	return list, err
}

// Custody returns who pays the claims.
func (l Refund) Custody() refund.Custody { return refund.Custody(l.Row.Custody) }

// Rules returns the refund in the form of package refund, without addresses.
func (l Refund) Rules() refund.Refund {
	r := refund.Refund{Amount: l.Row.Amount, ExpiresAt: l.Row.ExpiresAt, Cancelled: l.Row.CancelledAt != nil}
	for _, c := range l.Claims {
		r.Claims = append(r.Claims, refund.Claim{
			ID: c.RefundClaim.ID, Status: refund.Status(c.RefundClaim.Status), Amount: c.RefundClaim.Amount, Minable: c.Minable,
		})
	}
	return r
}

// claimGrace is how long after its end a refund still counts as claimable, because a
// claim of the last moment may be written some moments later.
const claimGrace = 10 * time.Minute

// heldOf returns how much of the amount received for a charge its refunds hold at now,
// and their number. The caller has locked the charge.
func heldOf(ctx context.Context, q *db.Queries, chargeID string, now time.Time) (held money.Piconero, refunds int, err error) {
	rows, err := q.RefundsOfCharge(ctx, chargeID)
	if err != nil {
		return 0, 0, err
	}
	list, err := WithClaims(ctx, q, rows)
	if err != nil {
		return 0, 0, err
	}
	amounts := make([]money.Piconero, len(list))
	for i, l := range list {
		if amounts[i], err = l.Rules().Held(now.Add(-claimGrace)); err != nil {
			return 0, 0, err
		}
	}
	held, err = money.Sum(amounts...)
	return held, len(list), err
}

// SettleRefund computes the state of a refund at now, saves it and returns the refund. The
// caller has locked it.
func SettleRefund(ctx context.Context, q *db.Queries, id string, now time.Time) (Refund, error) {
	l, err := LoadRefund(ctx, q, id)
	if err != nil {
		return l, err
	}
	status, err := l.Rules().StatusAt(now)
	if err != nil {
		return l, err
	}
	l.Row.Status = string(status)
	return l, q.SaveRefundStatus(ctx, db.SaveRefundStatusParams{ID: id, Status: string(status)})
}

// View returns the refund as its merchant sees it at now, without its link and its keys.
func (l Refund) View(now time.Time) (refund.Refunded, error) {
	rules := l.Rules()
	status, err := rules.StatusAt(now)
	if err != nil {
		return refund.Refunded{}, err
	}
	claimed, err := rules.Claimed()
	if err != nil {
		return refund.Refunded{}, err
	}
	remaining, err := rules.Remaining(now)
	if err != nil {
		return refund.Refunded{}, err
	}
	fee, err := payout.Fee(l.Row.Amount, l.Row.FeeRate)
	if err != nil {
		return refund.Refunded{}, err
	}
	return refund.Refunded{
		FeeRate: l.Row.FeeRate, FeeXMR: fee, ID: l.Row.ID, ChargeID: l.Row.ChargeID, Status: status, Variant: refund.Variant(l.Row.Variant), AmountXMR: l.Row.Amount,
		ClaimedXMR: claimed, LeftXMR: remaining, FiatAmount: l.Row.FiatAmount, FiatCurrency: (*money.Currency)(l.Row.FiatCurrency), Name: l.Row.Name,
		Description: l.Row.Description, Automatic: l.Row.Automatic, Custody: l.Custody(), CreatedAt: wire.TimeOf(l.Row.CreatedAt),
		ExpiresAt: wire.TimeOf(l.Row.ExpiresAt), CancelledAt: wire.TimeOrNil(l.Row.CancelledAt), Claims: l.claims(),
	}, nil
}

// PublicView returns the refund as a person who has its link sees it at now, without
// keys.
func (l Refund) PublicView(shop string, now time.Time) (refund.PublicRefund, error) {
	v, err := l.View(now)
	for i, c := range v.Claims {
		v.Claims[i] = c.ForBuyer()
	}
	return refund.PublicRefund{
		ID: v.ID, Status: v.Status, Shop: shop, Name: v.Name, Description: v.Description, AmountXMR: v.AmountXMR, LeftXMR: v.LeftXMR,
		FiatAmount: v.FiatAmount, FiatCurrency: v.FiatCurrency, ExpiresAt: v.ExpiresAt, Claims: v.Claims,
	}, err
}

func (l Refund) claims() []refund.ClaimState {
	list := make([]refund.ClaimState, len(l.Claims))
	for i, c := range l.Claims {
		list[i] = claimView(c)
	}
	return list
}

func claimView(c db.ClaimsOfRow) refund.ClaimState {
	k := c.RefundClaim
	v := refund.ClaimState{
		ID: k.ID, Status: refund.Status(k.Status), AmountXMR: k.Amount, Address: k.AddressMasked, PayoutID: c.PayoutID,
		CreatedAt: wire.TimeOf(k.CreatedAt), ApprovedAt: wire.TimeOrNil(k.ApprovedAt), SentAt: wire.TimeOrNil(k.SentAt),
		ConfirmedAt: wire.TimeOrNil(k.ConfirmedAt),
	}
	if k.SentAt != nil { // a built transaction that was not sent may still be abandoned
		v.TxHash = cmp.Or(c.ShopTxHash, c.TxHash)
	}
	switch {
	case v.Status == refund.Cancelled && c.Minable:
		return waitsFor(v, refund.ForChain)
	case k.WaitsFor != nil:
		return waitsFor(v, refund.Waits(*k.WaitsFor))
	default:
		return v
	}
}

// waitsFor returns the claim with the reason for which it waits.
func waitsFor(v refund.ClaimState, waits refund.Waits) refund.ClaimState {
	v.WaitsFor, v.WaitsText = &waits, new(waits.Text())
	return v
}
