package refunds

import (
	"context"
	"time"

	"github.com/durapay/durapay/activities/screening"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refundstore"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// ClaimRefund is a buyer's claim.
type ClaimRefund struct {
	RefundID string
	// ClaimID is the ID of a new claim. It is not used if the buyer repeats an earlier
	// claim.
	ClaimID string
	// Address is as the buyer wrote it.
	Address string
	// Amount is 0 for the whole remaining amount.
	Amount money.Piconero
	// Now is the workflow's clock.
	Now time.Time
}

// Claimed names the buyer's claim.
type Claimed struct{ ClaimID string }

// ClaimRefund inserts a claim, with its event, if the refund has that amount left and the
// address may be paid: it is of the main network, not our own, not sanctioned. A second
// run, or a repeated request, finds the claim. refusals.Refund and refusals.Blocked have
// the reason why there is none.
func (a *Handler) ClaimRefund(ctx context.Context, in ClaimRefund) (Claimed, error) {
	if err := a.payable(ctx, in.Address); err != nil {
		return Claimed{}, err
	}
	made := Claimed{}
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		var err error
		made, err = a.claim(ctx, q, in)
		return err
	})
	return made, err
}

func (a *Handler) claim(ctx context.Context, q *db.Queries, in ClaimRefund) (Claimed, error) {
	l, err := lock(ctx, q, in.RefundID)
	if err != nil {
		return Claimed{}, err
	}
	for _, c := range l.Claims {
		if c.RefundClaim.ID == in.ClaimID { // this very step, run again
			return Claimed{in.ClaimID}, nil
		}
	}
	rules, err := a.withAddresses(l)
	if err != nil {
		return Claimed{}, err
	}
	amount, again, err := rules.NewClaim(in.Address, in.Amount, in.Now)
	if err != nil {
		return Claimed{}, refusals.New(refusals.Refund, err.Error())
	}
	if again != nil {
		return Claimed{again.ID}, nil
	}
	sealed, err := a.Secret.Seal([]byte(in.Address), secret.ClaimAddressPlace(in.ClaimID))
	if err != nil {
		return Claimed{}, err
	}
	automatic, err := stillAutomatic(ctx, q, l.Row, in.Now)
	if err != nil {
		return Claimed{}, err
	}
	row := db.InsertClaimParams{
		ID: in.ClaimID, RefundID: in.RefundID, Status: string(refund.AwaitingApproval), Amount: amount, AddressSealed: sealed,
		AddressMasked: payout.MaskAddress(in.Address), CreatedAt: in.Now,
	}
	if automatic {
		row.Status, row.ApprovedAt = string(refund.AwaitingPayment), &in.Now
	}
	if err := q.InsertClaim(ctx, row); err != nil {
		return Claimed{}, err
	}
	if l, err = refundstore.Settle(ctx, q, in.RefundID, in.Now); err != nil {
		return Claimed{}, err
	}
	return Claimed{in.ClaimID}, l.Tell(ctx, q, webhook.EventRefundClaimed, in.ClaimID, in.Now)
}

// payable refuses an address that refunds do not pay.
func (a *Handler) payable(ctx context.Context, text string) error {
	address, err := monero.ParseAddress(text)
	if err != nil {
		return refusals.New(refusals.Refund, "the address is not a Monero address")
	}
	if address.Network != monero.Mainnet {
		return refusals.New(refusals.Refund, "the address is of another network")
	}
	if address.Kind == monero.KindIntegrated {
		return refusals.New(refusals.Refund, "the address is an integrated one: give one of your own wallet")
	}
	own, err := screening.Own(ctx, a.Store.Queries, address)
	if err != nil {
		return err
	}
	if own {
		return refusals.New(refusals.Refund, "the address belongs to this service: give one of your own wallet")
	}
	return screening.Refuse(ctx, a.Sanctioned, text)
}

// withAddresses returns the refund for the rules of package refund, with the known
// addresses of its claims.
func (a *Handler) withAddresses(l refundstore.Loaded) (refund.Refund, error) {
	rules := l.Rules()
	for i, c := range l.Claims {
		if c.RefundClaim.AddressSealed == nil {
			continue
		}
		address, err := a.Secret.Unseal(c.RefundClaim.AddressSealed, secret.ClaimAddressPlace(c.RefundClaim.ID))
		if err != nil {
			return rules, err
		}
		rules.Claims[i].Address = string(address)
	}
	return rules, nil
}

// lock locks a refund. It returns refusals.Missing if there is none.
func lock(ctx context.Context, q *db.Queries, id string) (refundstore.Loaded, error) {
	l, err := refundstore.Lock(ctx, q, id)
	if postgres.IsNotFound(err) {
		err = refusals.New(refusals.Missing, "refund not found")
	}
	return l, err
}

// Change names a refund, or one of its claims, for a decision of its merchant.
type Change struct {
	RefundID string
	// ClaimID is empty for the whole refund.
	ClaimID string
	// Now is the workflow's clock.
	Now time.Time
}

// ApproveRefund approves claims that wait for it, so that they are paid. A second run
// finds them approved. It returns refusals.Refund if no claim waits for approval, and
// none was approved.
func (a *Handler) ApproveRefund(ctx context.Context, in Change) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		l, err := lock(ctx, q, in.RefundID)
		if err != nil {
			return err
		}
		done, err := q.ApproveClaims(ctx, db.ApproveClaimsParams{RefundID: in.RefundID, ID: in.ClaimID, Now: in.Now})
		if err != nil {
			return err
		}
		if len(done) == 0 && !anyClaim(l, in.ClaimID, func(c db.RefundClaim) bool { return c.ApprovedAt != nil && c.Status != string(refund.Cancelled) }) {
			return refusals.New(refusals.Refund, "no claim waits for approval")
		}
		_, err = refundstore.Settle(ctx, q, in.RefundID, in.Now)
		return err
	})
}

// CancelRefund ends a refund, or cancels one claim so that its amount can be claimed
// again. Claims that are being paid continue. A second run finds it cancelled. It returns
// refusals.Refund if the refund or claim cannot be cancelled any more.
func (a *Handler) CancelRefund(ctx context.Context, in Change) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		l, err := lock(ctx, q, in.RefundID)
		if err != nil {
			return err
		}
		if in.ClaimID != "" {
			err = cancelClaim(ctx, q, l, in)
		} else {
			err = cancelRefund(ctx, q, l, in)
		}
		if err != nil {
			return err
		}
		_, err = refundstore.Settle(ctx, q, in.RefundID, in.Now)
		return err
	})
}

func cancelClaim(ctx context.Context, q *db.Queries, l refundstore.Loaded, in Change) error {
	n, err := q.CancelClaim(ctx, db.CancelClaimParams{ID: in.ClaimID, RefundID: in.RefundID})
	if err != nil || n > 0 {
		return err
	}
	if anyClaim(l, in.ClaimID, func(c db.RefundClaim) bool { return c.Status == string(refund.Cancelled) }) {
		return nil
	}
	return refusals.New(refusals.Refund, "the claim is being paid, or there is none")
}

func cancelRefund(ctx context.Context, q *db.Queries, l refundstore.Loaded, in Change) error {
	status, err := l.Rules().StatusAt(in.Now)
	switch {
	case err != nil:
		return err
	case l.Row.CancelledAt != nil:
		return nil
	case status == refund.Completed:
		return refusals.New(refusals.Refund, "the refund is paid")
	case status == refund.Expired:
		return refusals.New(refusals.Refund, "the refund has expired")
	}
	if err := q.CancelClaims(ctx, in.RefundID); err != nil {
		return err
	}
	return q.CancelRefund(ctx, db.CancelRefundParams{ID: in.RefundID, Now: in.Now})
}

// anyClaim reports whether the named claim fulfils such; if none is named, whether any
// claim does.
func anyClaim(l refundstore.Loaded, claimID string, such func(db.RefundClaim) bool) bool {
	for _, c := range l.Claims {
		if (claimID == "" || c.RefundClaim.ID == claimID) && such(c.RefundClaim) {
			return true
		}
	}
	return false
}

// AdvanceRefund names the refund to advance.
type AdvanceRefund struct {
	RefundID string
	// Waiting is set if money that claims wait for may have come.
	Waiting bool
	// Now is the workflow's clock.
	Now time.Time
}

// State is the state that the workflow of a refund needs to continue.
type State struct {
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
func (a *Handler) AdvanceRefund(ctx context.Context, in AdvanceRefund) (State, error) {
	var state State
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := lock(ctx, q, in.RefundID); err != nil {
			return err
		}
		l, err := refundstore.Settle(ctx, q, in.RefundID, in.Now)
		if err != nil {
			return err
		}
		state = stateOf(l, in)
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

func claimIDs(l refundstore.Loaded) []string {
	ids := make([]string, len(l.Claims))
	for i, c := range l.Claims {
		ids[i] = c.RefundClaim.ID
	}
	return ids
}

// stateOf chooses the claim to pay now: an untried claim comes before claims that wait.
func stateOf(l refundstore.Loaded, in AdvanceRefund) State {
	s := State{MerchantID: l.Row.MerchantID, Status: refund.Status(l.Row.Status), Amount: l.Row.Amount}
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
