package payouts

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
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
	// Unsettled is set while a payment of the shop is not final.
	Unsettled bool
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
		return nil
	})
	return state, err
}

// refundStateOf chooses the claim to pay now: an untried claim comes before claims that wait.
func refundStateOf(l chargestore.Refund, in AdvanceRefund) RefundState {
	s := RefundState{
		MerchantID: l.Row.MerchantID, Status: refund.Status(l.Row.Status), Amount: l.Row.Amount,
		Unsettled: slices.ContainsFunc(l.Claims, func(c db.ClaimsOfRow) bool { return c.Unsettled }),
	}
	if l.Row.CancelledAt == nil && in.Now.Before(l.Row.ExpiresAt) {
		s.NextAt = &l.Row.ExpiresAt
	}
	waiting := ""
	for _, c := range l.Claims {
		k := c.RefundClaim
		switch {
		case k.Status != string(refund.AwaitingPayment), k.OwnAddressSealed != nil:
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
	row, err := a.newClaim(ctx, q, l, in)
	if err != nil {
		return ClaimedRefund{}, err
	}
	row.Amount = amount
	if err := q.InsertClaim(ctx, row); err != nil {
		return ClaimedRefund{}, err
	}
	if l, err = chargestore.SettleRefund(ctx, q, in.RefundID, in.Now); err != nil {
		return ClaimedRefund{}, err
	}
	return ClaimedRefund{in.ClaimID}, l.RecordEvent(ctx, q, webhook.EventRefundClaimed, in.ClaimID, "", in.Now)
}

// newClaim returns the row of a claim, without its amount. A claim that the shop pays waits
// for that alone.
func (a *Handler) newClaim(ctx context.Context, q *db.Queries, l chargestore.Refund, in ClaimRefund) (row db.InsertClaimParams, err error) {
	row = db.InsertClaimParams{
		ID: in.ClaimID, RefundID: in.RefundID, Status: string(refund.AwaitingApproval), AddressMasked: payout.MaskAddress(in.Address), CreatedAt: in.Now,
	}
	if l.Custody() == refund.Own {
		row.Status, row.WaitsFor = string(refund.AwaitingPayment), new(string(refund.ForShopPayment))
		row.OwnAddressSealed, err = a.Secret.Seal([]byte(in.Address), secret.OwnClaimPlace.Of(in.ClaimID))
		return row, err
	}
	if row.AddressSealed, err = a.Secret.Seal([]byte(in.Address), secret.ClaimAddressPlace.Of(in.ClaimID)); err != nil {
		return row, err
	}
	automatic, err := chargestore.StillAutomatic(ctx, q, l.Row, in.Now)
	if automatic {
		row.Status, row.ApprovedAt = string(refund.AwaitingPayment), &in.Now
	}
	return row, err
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
		sealed, place := c.RefundClaim.AddressSealed, secret.ClaimAddressPlace
		if c.RefundClaim.OwnAddressSealed != nil {
			sealed, place = c.RefundClaim.OwnAddressSealed, secret.OwnClaimPlace
		}
		if sealed == nil {
			continue
		}
		address, err := a.Secret.Unseal(sealed, place.Of(c.RefundClaim.ID))
		if err != nil {
			return rules, err
		}
		rules.Claims[i].Address = string(address)
	}
	return rules, nil
}

// ReserveClaim names a payout that pays a claim of a refund together with its merchant.
type ReserveClaim struct {
	PayoutID string
	ClaimID  string
	// Dust is the approximate cost of an input.
	Dust money.Piconero
	// Now is the workflow's clock.
	Now time.Time
}

// waits is why the payment of a claim must wait, and how much it was found to need; 0 if
// that is unknown.
type waits struct {
	reason refund.Waits
	needs  money.Piconero
}

// Error returns the reason for people.
func (w waits) Error() string { return w.reason.Text() }

// recheckAfter is the pause before a new try if no query can see the end of the wait.
const recheckAfter = 10 * time.Minute

// nextAt returns when a waiting claim may be retried: at once if the query of payable
// claims sees the end of the wait, and otherwise after recheckAfter.
func (w waits) nextAt(now time.Time) time.Time {
	switch w.reason {
	case refund.ForSafeMode, refund.ForCharge, refund.ForScreening, refund.ForRetry, refund.ForPieces:
		return now.Add(recheckAfter)
	default:
		return now
	}
}

// ReserveClaim chooses whole payments of the merchant that cover a claim, marks them with
// the payout and fixes its fee rate. A second run, later or at the same time, finds the
// payout and returns the same reservation. If nothing can be paid now, it writes the
// reason to the claim's row and returns refusals.Waits. A claim that another payout pays,
// or that was cancelled, is refused with refusals.Refund.
func (a *Handler) ReserveClaim(ctx context.Context, in ReserveClaim) (Reserved, error) {
	if found, err := reservedBefore(ctx, a.Store.Queries, in.PayoutID); !postgres.IsNotFound(err) {
		return found, err
	}
	var reserved Reserved
	err := a.Store.TxAgain(ctx, func(q *db.Queries) error {
		var err error
		reserved, err = a.reserveClaim(ctx, q, in)
		return err
	})
	if postgres.IsDuplicate(err) {
		err = waits{reason: refund.ForPayout}
	}
	w, waiting := errors.AsType[waits](err)
	if !waiting {
		return reserved, err
	}
	if err := a.Store.WaitClaim(ctx, db.WaitClaimParams{
		ID: in.ClaimID, WaitsFor: string(w.reason), Needs: w.needs, NextAt: w.nextAt(in.Now),
	}); err != nil {
		return Reserved{}, err
	}
	return Reserved{}, refusals.New(refusals.Waits, w.Error())
}

// DelayClaim names a claim that could not be tried.
type DelayClaim struct {
	ClaimID string
	// Now is the workflow's clock.
	Now time.Time
}

// DelayClaim makes a claim wait for its next try, because the daemon does not answer with
// the fee of a transaction. A second run writes the same.
func (a *Handler) DelayClaim(ctx context.Context, in DelayClaim) error {
	w := waits{reason: refund.ForRetry}
	return a.Store.WaitClaim(ctx, db.WaitClaimParams{ID: in.ClaimID, WaitsFor: string(w.reason), NextAt: w.nextAt(in.Now)})
}

// reserveClaim locks the merchant, then the payout, then the refund: the same order as in
// giving a payout up.
func (a *Handler) reserveClaim(ctx context.Context, q *db.Queries, in ReserveClaim) (Reserved, error) {
	claim, r, m, err := claimFacts(ctx, q, in.ClaimID)
	if err != nil {
		return Reserved{}, err
	}
	if found, err := reservedBefore(ctx, q, in.PayoutID); !postgres.IsNotFound(err) {
		return found, err
	}
	if err := a.mayPay(ctx, q, m, claim, r, in.Now); err != nil {
		return Reserved{}, err
	}
	rate, err := postgres.FeeRate(ctx, q, m, a.FeeRate, in.Now)
	if err != nil {
		return Reserved{}, err
	}
	chosen, err := cover(ctx, q, m, claim, in.Dust, rate)
	if err != nil {
		return Reserved{}, err
	}
	m.AutoSwapEnabled = false // the rest of a payout that pays a claim goes to the payout address
	row, err := a.newPayout(ReservePayout{PayoutID: in.PayoutID, Now: in.Now}, m)
	if err != nil {
		return Reserved{}, err
	}
	row.FeeRate, row.ClaimID, row.RefundAmount = rate, &claim.ID, claim.Amount
	if err := insert(ctx, q, row, chosen); err != nil {
		return Reserved{}, err
	}
	if _, err := q.LockRefund(ctx, r.ID); err != nil {
		return Reserved{}, err
	}
	if n, err := q.ReserveClaim(ctx, claim.ID); err != nil || n == 0 {
		return Reserved{}, errors.Join(err, refusals.New(refusals.Refund, "the claim does not wait for its payment"))
	}
	_, err = chargestore.SettleRefund(ctx, q, r.ID, in.Now)
	return Reserved{WalletID: m.LiveWalletID, Gross: chosen.Gross, Charges: chosen.Charges, RefundID: r.ID}, err
}

// claimFacts locks the merchant of a claim, and then reads the facts that decide about
// the payment. A hold or a cancellation may be written while another transaction has that
// lock.
func claimFacts(ctx context.Context, q *db.Queries, id string) (claim db.RefundClaim, r db.Refund, m db.Merchant, err error) {
	if claim, err = q.GetClaim(ctx, id); err != nil {
		if postgres.IsNotFound(err) {
			err = refusals.New(refusals.Refund, "there is no such claim")
		}
		return claim, r, m, err
	}
	if r, err = q.GetRefund(ctx, claim.RefundID); err != nil {
		return claim, r, m, err
	}
	if _, err = q.LockMerchant(ctx, r.MerchantID); err != nil {
		return claim, r, m, err
	}
	if claim, err = q.GetClaim(ctx, id); err != nil {
		return claim, r, m, err
	}
	if refund.Status(claim.Status) != refund.AwaitingPayment || claim.OwnAddressSealed != nil {
		return claim, r, m, refusals.New(refusals.Refund, "the claim does not wait for its payment")
	}
	m, err = q.GetMerchant(ctx, r.MerchantID)
	return claim, r, m, err
}

// mayPay returns the reason why the payment of a claim must wait, other than for money;
// nil if there is none.
func (a *Handler) mayPay(ctx context.Context, q *db.Queries, m db.Merchant, claim db.RefundClaim, r db.Refund, now time.Time) error {
	switch {
	case m.SuspendedAt != nil:
		return waits{reason: refund.ForSuspension}
	case m.PayoutAddressSealed == nil:
		return waits{reason: refund.ForAddress}
	case refuseHeld(m, now) != nil:
		return waits{reason: refund.ForHold}
	}
	if err := postgres.CheckSafeMode(ctx, q, m.LiveWalletID); err != nil {
		if refusals.Is(err, refusals.SafeMode) {
			return waits{reason: refund.ForSafeMode}
		}
		return err
	}
	if _, err := a.payee(ctx, claim); err != nil {
		if _, refused := refusals.Of(err); refused {
			return waits{reason: refund.ForScreening}
		}
		return err
	}
	return backed(ctx, q, claim, r.ChargeID)
}

// backed returns nil if the received payments of the charge still cover its refunds. A
// charge that is gone covers nothing: a reorganization can restart a refund whose charge
// was removed. A refund without a charge is covered by the payments that pay it.
func backed(ctx context.Context, q *db.Queries, claim db.RefundClaim, chargeID string) error {
	if chargeID == "" {
		return nil
	}
	is, err := q.RefundCoveredBy(ctx, db.RefundCoveredByParams{ChargeID: chargeID, ClaimID: claim.ID})
	if postgres.IsNotFound(err) {
		return waits{reason: refund.ForCharge}
	}
	if err != nil {
		return err
	}
	total, err := is.Paid.Add(claim.Amount)
	switch {
	case err != nil || is.Unbacked || total > is.Received:
		return waits{reason: refund.ForCharge}
	case total > is.Deep:
		return waits{reason: refund.ForUnlock}
	default:
		return nil
	}
}
