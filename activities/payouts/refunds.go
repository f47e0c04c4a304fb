package payouts

import (
	"context"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

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
func (a *Handler) AdvanceRefund(ctx context.Context, in AdvanceRefund) (RefundState, error) {
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
		about := []string{l.Row.ID}
		for _, c := range l.Claims {
			about = append(about, c.RefundClaim.ID)
		}
		for _, id := range about {
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

// ClaimedRefund names the buyer's claim.
type ClaimedRefund struct{ ClaimID string }

// ClaimRefund inserts a claim, with its event, if the refund has that amount left and the
// address may be paid: it is of the main network, not our own, not sanctioned. A second
// run, or a repeated request, finds the claim. refusals.Refund and refusals.Blocked have
// the reason why there is none.
func (a *Handler) ClaimRefund(ctx context.Context, in ClaimRefund) (ClaimedRefund, error) {
	if err := a.payable(ctx, in.Address); err != nil {
		return ClaimedRefund{}, err
	}
	made := ClaimedRefund{}
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		var err error
		made, err = a.claim(ctx, q, in)
		return err
	})
	return made, err
}

func (a *Handler) claim(ctx context.Context, q *db.Queries, in ClaimRefund) (ClaimedRefund, error) {
	l, err := chargestore.LockRefund(ctx, q, in.RefundID)
	if err != nil {
		return ClaimedRefund{}, err
	}
	for _, c := range l.Claims {
		if c.RefundClaim.ID == in.ClaimID { // this very step, run again
			return ClaimedRefund{in.ClaimID}, nil
		}
	}
	rules, err := a.withAddresses(l)
	if err != nil {
		return ClaimedRefund{}, err
	}
	amount, again, err := rules.NewClaim(in.Address, in.Amount, in.Now)
	if err != nil {
		return ClaimedRefund{}, refusals.New(refusals.Refund, err.Error())
	}
	if again != nil {
		return ClaimedRefund{again.ID}, nil
	}
	sealed, err := a.Secret.Seal([]byte(in.Address), secret.ClaimAddressPlace.Of(in.ClaimID))
	if err != nil {
		return ClaimedRefund{}, err
	}
	automatic, err := chargestore.StillAutomatic(ctx, q, l.Row, in.Now)
	if err != nil {
		return ClaimedRefund{}, err
	}
	row := db.InsertClaimParams{
		ID: in.ClaimID, RefundID: in.RefundID, Status: string(refund.AwaitingApproval), Amount: amount, AddressSealed: sealed,
		AddressMasked: payout.MaskAddress(in.Address), CreatedAt: in.Now,
	}
	if automatic {
		row.Status, row.ApprovedAt = string(refund.AwaitingPayment), &in.Now
	}
	if err := q.InsertClaim(ctx, row); err != nil {
		return ClaimedRefund{}, err
	}
	if l, err = chargestore.SettleRefund(ctx, q, in.RefundID, in.Now); err != nil {
		return ClaimedRefund{}, err
	}
	return ClaimedRefund{in.ClaimID}, l.Tell(ctx, q, webhook.EventRefundClaimed, in.ClaimID, "", in.Now)
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
	own, err := sending.IsOwnAddress(ctx, a.Store.Queries, address)
	if err != nil {
		return err
	}
	if own {
		return refusals.New(refusals.Refund, "the address belongs to this service: give one of your own wallet")
	}
	return sending.RefuseListed(ctx, a.Sanctioned, forbidden, text)
}

// withAddresses returns the refund for the rules of package refund, with the known
// addresses of its claims.
func (a *Handler) withAddresses(l chargestore.Refund) (refund.Refund, error) {
	rules := l.Rules()
	for i, c := range l.Claims {
		if c.RefundClaim.AddressSealed == nil {
			continue
		}
		address, err := a.Secret.Unseal(c.RefundClaim.AddressSealed, secret.ClaimAddressPlace.Of(c.RefundClaim.ID))
		if err != nil {
			return rules, err
		}
		rules.Claims[i].Address = string(address)
	}
	return rules, nil
}
