package payouts

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/secret"
)

// Refunds has the activities of the refund workflow. They run as local activities: short
// transactions without external calls.
type Refunds struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Sanctioned looks up the addresses of claims.
	Sanctioned sending.SanctionsLookup
}

// RegisterRefunds adds the activities of refunds.
func RegisterRefunds(w worker.ActivityRegistry, h *Refunds) {
	w.RegisterActivity(h.ClaimRefund)
	w.RegisterActivity(h.AdvanceRefund)
}

// AdvanceRefund names the refund to advance.
type AdvanceRefund struct {
	RefundID string
	// Waiting is set if money that claims wait for may have come.
	Waiting bool
	// Now is the workflow's clock.
	Now time.Time
}

// RefundState is the state that the workflow of a refund needs to continue.
type RefundState struct {
	MerchantID string
	Status     refund.Status
	Amount     money.Piconero
	// PayClaim is a claim to be paid now; empty for none.
	PayClaim string
	// PayoutID is a new ID for the payout of that claim.
	PayoutID string
	// NextAt is when the next look is due; nil for never.
	NextAt *time.Time
	// Deliveries are the deliveries that have not been attempted yet.
	Deliveries []string
}

// AdvanceRefund writes the state of a refund, which time alone may have changed, and
// returns what to do next. A second run changes nothing. It returns refusals.Missing if
// there is no refund.
func (a *Refunds) AdvanceRefund(ctx context.Context, in AdvanceRefund) (RefundState, error) {
	var state RefundState
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := chargestore.LockRefund(ctx, q, in.RefundID); err != nil {
			return err
		}
		l, err := chargestore.SettleRefund(ctx, q, in.RefundID, in.Now)
		if err != nil {
			return err
		}
		state = refundStateOf(l, in)
		for _, id := range append([]string{l.Row.ID}, claimIDs(l)...) {
			list, err := q.UnsentDeliveries(ctx, id)
			if err != nil {
				return err
			}
			state.Deliveries = append(state.Deliveries, list...)
		}
		return nil
	})
	return state, err
}

func claimIDs(l chargestore.Refund) []string {
	ids := make([]string, len(l.Claims))
	for i, c := range l.Claims {
		ids[i] = c.RefundClaim.ID
	}
	return ids
}

// refundStateOf chooses the claim to pay now: an untried claim comes before claims that wait.
func refundStateOf(l chargestore.Refund, in AdvanceRefund) RefundState {
	s := RefundState{MerchantID: l.Row.MerchantID, Status: refund.Status(l.Row.Status), Amount: l.Row.Amount}
	if l.Row.CancelledAt == nil && in.Now.Before(l.Row.ExpiresAt) {
		s.NextAt = &l.Row.ExpiresAt
	}
	waiting := ""
	for _, c := range l.Claims {
		k := c.RefundClaim
		switch {
		case k.Status != string(refund.AwaitingPayment):
		case in.Now.Before(k.NextAt):
			if s.NextAt == nil || k.NextAt.Before(*s.NextAt) {
				s.NextAt = &k.NextAt
			}
		case k.WaitsFor == nil && s.PayClaim == "":
			s.PayClaim = k.ID
		case k.WaitsFor != nil && waiting == "":
			waiting = k.ID
		}
	}
	if s.PayClaim == "" && in.Waiting {
		s.PayClaim = waiting
	}
	if s.PayClaim != "" {
		s.PayoutID = secret.NewID("po_")
	}
	return s
}
