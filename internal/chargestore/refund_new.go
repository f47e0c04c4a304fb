package chargestore

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
)

// NewRefund is a refund to create.
type NewRefund struct {
	RefundID   string
	MerchantID string
	// ChargeID is empty for a refund without a charge: its amount is a custom one, the
	// merchant's balance bounds it, and its claims wait for approval whatever Leave is.
	ChargeID string
	Ask      refund.Ask
	// Name and Description are shown to the buyer; they may be empty.
	Name, Description string
	// Leave decides whether claims may need no approval.
	Leave refund.Leave
	// MadeBy is the person of the staff who makes the refund: their daily sum then decides
	// whether claims need approval. It is empty for the merchant and for keys.
	MadeBy string
	// MadeWith is the hash of the key that makes the refund; nil for a person at the desk.
	MadeWith []byte
	// TokenHash is of the secret in the link, TokenSealed that secret.
	TokenHash, TokenSealed []byte
	// ExpiresAt is the end of the time to claim.
	ExpiresAt time.Time
	Now       time.Time
}

// RefundTerms are the prices and the operator's share of a refund.
type RefundTerms struct {
	// Prices answers from memory; it never waits for an exchange.
	Prices interface {
		Price(currency money.Currency) (rates.Quote, error)
	}
	// FeeRate is the operator's share if neither the merchant nor a volume tier has a rate.
	FeeRate money.Decimal
}

// Create calculates the amount of a refund, and writes the refund with its event and the
// wakeup of its workflow. The money received for the charge must cover it in addition to
// the other refunds; the unpaid balance must cover a refund without a charge. A second run
// finds the row. Create returns refusals.Refund with the reason why there is none, or
// refusals.StepUp if the password is needed.
func (t RefundTerms) Create(ctx context.Context, q *db.Queries, in NewRefund) error {
	m, err := maker(ctx, q, in.MerchantID)
	if err != nil {
		return err
	}
	if _, err := q.GetRefund(ctx, in.RefundID); !postgres.IsNotFound(err) {
		return err
	}
	if in.ChargeID == "" {
		err = t.createOfNoCharge(ctx, q, in, m)
	} else {
		err = t.create(ctx, q, in, m)
	}
	if err != nil {
		return err
	}
	return q.WakeRefunds(ctx, []string{in.RefundID})
}

// maker locks the merchant who makes a refund: two concurrent refunds do not both find room
// in a day or in the balance, and the settings do not change meanwhile. This lock comes
// before the lock of the charge, as in all transactions that take both.
func maker(ctx context.Context, q *db.Queries, merchantID string) (db.Merchant, error) {
	m, err := q.HoldMerchant(ctx, merchantID)
	switch {
	case postgres.IsNotFound(err):
		return m, refusals.New(refusals.Merchant, "the merchant does not exist")
	case err == nil && m.SuspendedAt != nil:
		return m, refusals.New(refusals.Suspended, "the account is suspended")
	default:
		return m, err
	}
}

func (t RefundTerms) create(ctx context.Context, q *db.Queries, in NewRefund, m db.Merchant) error {
	c, err := q.LockChargeForRefund(ctx, in.ChargeID)
	if postgres.IsNotFound(err) || err == nil && c.MerchantID != in.MerchantID {
		return refusals.New(refusals.Missing, "charge not found")
	}
	if err != nil {
		return err
	}
	if err := refundable(c); err != nil {
		return err
	}
	held, refunds, err := heldOf(ctx, q, c.ID, in.Now)
	if err != nil {
		return err
	}
	worth, err := t.worth(in.Ask, refund.Charge{
		Received: c.Received, Asked: c.AmountPiconero, Held: held, Currency: money.Currency(c.Currency), RateThen: c.XmrRate,
	})
	if err != nil {
		return err
	}
	if err := refund.Fits(worth.Amount, c.Received, held); err != nil {
		return refusals.New(refusals.Refund, err.Error())
	}
	if refunds >= refund.MaxPerCharge {
		return refusals.New(refusals.Refund, "the charge has too many refunds")
	}
	if charge.IsOwn(c.WalletID) { // the shop's payment of a claim is its approval too, and no payout takes a fee
		return t.insert(ctx, q, in, m, worth, terms{custody: refund.Own})
	}
	itself, err := automatic(ctx, q, in, m, worth.Amount)
	if err != nil {
		return err
	}
	return t.insert(ctx, q, in, m, worth, terms{custody: refund.Hosted, automatic: itself})
}

// terms are who pays the claims of a refund, and whether they need no approval.
type terms struct {
	custody   refund.Custody
	automatic bool
}

// createOfNoCharge compares with the balance. Sweeps may pay the money out afterwards: then
// the claims wait for new money, as with every refund.
func (t RefundTerms) createOfNoCharge(ctx context.Context, q *db.Queries, in NewRefund, m db.Merchant) error {
	if in.Ask.Variant != refund.Custom {
		return refusals.New(refusals.Refund, refund.ErrVariant.Error())
	}
	worth, err := t.worth(in.Ask, refund.Charge{})
	if err != nil {
		return err
	}
	sum, err := q.UnpaidSummary(ctx, db.UnpaidSummaryParams{MerchantID: m.MerchantID, WalletID: m.LiveWalletID})
	if err != nil {
		return err
	}
	held, err := q.InRefunds(ctx, db.InRefundsParams{MerchantID: m.MerchantID, Now: in.Now})
	if err != nil {
		return err
	}
	if err := refund.FitsBalance(worth.Amount, sum.Total, held); err != nil {
		return refusals.New(refusals.Refund, err.Error())
	}
	return t.insert(ctx, q, in, m, worth, terms{custody: refund.Hosted})
}

// insert writes a refund with its event, and with the operator's present share, so that
// the merchant sees the cost of the refund. It has no cost where the shop pays the claims.
func (t RefundTerms) insert(ctx context.Context, q *db.Queries, in NewRefund, m db.Merchant, worth refund.Worth, of terms) error {
	var rate money.Decimal
	if of.custody == refund.Hosted {
		var err error
		if rate, err = postgres.FeeRate(ctx, q, m, t.FeeRate, in.Now); err != nil {
			return err
		}
	}
	row := db.InsertRefundParams{
		FeeRate: rate, ID: in.RefundID, MerchantID: in.MerchantID, ChargeID: in.ChargeID, Status: string(refund.Open), Variant: string(in.Ask.Variant),
		Amount: worth.Amount, FiatAmount: worth.Fiat, Name: in.Name, Description: in.Description, Automatic: of.automatic, Custody: string(of.custody),
		TokenHash: in.TokenHash, TokenSealed: in.TokenSealed, CreatedAt: in.Now, ExpiresAt: in.ExpiresAt,
		MadeWith: in.MadeWith,
	}
	if in.MadeBy != "" {
		row.MadeBy = &in.MadeBy
	}
	if worth.Fiat != nil {
		row.FiatCurrency = new(string(worth.Currency))
	}
	if err := q.InsertRefund(ctx, row); err != nil {
		return err
	}
	l, err := LoadRefund(ctx, q, in.RefundID)
	if err != nil {
		return err
	}
	return l.RecordEvent(ctx, q, webhook.EventRefundCreated, "", "", in.Now)
}

// refundable refuses a charge whose money cannot be refunded, because it is not in the
// balance.
func refundable(c db.LockChargeForRefundRow) error {
	switch {
	case config.Mode(c.Mode) != config.Live:
		return refusals.New(refusals.Refund, "charges of the sandbox have no refunds")
	case c.Status != "confirmed":
		return refusals.New(refusals.Refund, "the charge is not confirmed: accept it first if it is underpaid")
	case c.Unbacked || c.Received == 0:
		return refusals.New(refusals.Refund, "the money of the charge is not in the chain")
	default:
		return nil
	}
}

// worth returns the amount of a refund, at the present rate if one is needed.
func (t RefundTerms) worth(ask refund.Ask, of refund.Charge) (refund.Worth, error) {
	var now *money.Decimal
	if currency := refund.NeedsRate(ask, of); currency != "" {
		if _, err := money.ParseCurrency(string(currency)); err != nil {
			return refund.Worth{}, refusals.New(refusals.Refund, refund.ErrCurrency.Error())
		}
		quote, err := t.Prices.Price(currency)
		if err != nil {
			return refund.Worth{}, refusals.New(refusals.NoPrice, refund.ErrNoRate.Error())
		}
		now = &quote.Price
	}
	worth, err := refund.Amount(ask, of, now)
	if err != nil {
		return worth, refusals.New(refusals.Refund, err.Error())
	}
	return worth, nil
}

// RefundDecision names a refund, or one of its claims, for a decision of its merchant.
type RefundDecision struct {
	RefundID string
	// ClaimID is empty for the whole refund.
	ClaimID string
	Now     time.Time
}

// ApproveClaims approves claims that wait for it, so that they are paid, and writes the wakeup
// of the refund's workflow. It reports whether there were any. A second run finds them
// approved. ApproveClaims returns refusals.Refund if no claim waits for approval, and none was
// approved.
func ApproveClaims(ctx context.Context, q *db.Queries, in RefundDecision) (approved bool, err error) {
	l, err := LockRefund(ctx, q, in.RefundID)
	if err != nil {
		return false, err
	}
	if l.Custody() == refund.Own {
		return false, refusals.New(refusals.Refund, "the shop pays this refund from its own wallet: pay the claim and give its transaction")
	}
	done, err := q.ApproveClaims(ctx, db.ApproveClaimsParams{RefundID: in.RefundID, ID: in.ClaimID, Now: in.Now})
	if err != nil {
		return false, err
	}
	if len(done) == 0 && !anyClaim(l, in.ClaimID, func(c db.RefundClaim) bool { return c.ApprovedAt != nil && c.Status != string(refund.Cancelled) }) {
		return false, refusals.New(refusals.Refund, "no claim waits for approval")
	}
	if len(done) == 0 {
		return false, nil
	}
	return true, settleAndWake(ctx, q, in)
}

// CancelRefund ends a refund, or cancels one claim so that its amount can be claimed again, and
// writes the wakeup of the refund's workflow. Claims that are being paid continue. A second
// run finds it cancelled. It returns refusals.Refund if the refund or claim cannot be
// cancelled any more.
func CancelRefund(ctx context.Context, q *db.Queries, in RefundDecision) error {
	l, err := LockRefund(ctx, q, in.RefundID)
	if err != nil {
		return err
	}
	cancel := cancelRefund
	if in.ClaimID != "" {
		cancel = cancelClaim
	}
	if cancelled, err := cancel(ctx, q, l, in); err != nil || !cancelled {
		return err
	}
	return settleAndWake(ctx, q, in)
}

func settleAndWake(ctx context.Context, q *db.Queries, in RefundDecision) error {
	if _, err := SettleRefund(ctx, q, in.RefundID, in.Now); err != nil {
		return err
	}
	return q.WakeRefunds(ctx, []string{in.RefundID})
}

// cancelClaim reports whether it cancelled the claim. A cancelled claim stays so.
func cancelClaim(ctx context.Context, q *db.Queries, l Refund, in RefundDecision) (bool, error) {
	n, err := q.CancelClaim(ctx, db.CancelClaimParams{ID: in.ClaimID, RefundID: in.RefundID})
	if err != nil || n > 0 {
		return n > 0, err
	}
	if anyClaim(l, in.ClaimID, func(c db.RefundClaim) bool { return c.Status == string(refund.Cancelled) }) {
		return false, nil
	}
	return false, refusals.New(refusals.Refund, "the claim is being paid, or there is none")
}

// cancelRefund reports whether it cancelled the refund. A cancelled refund stays so.
func cancelRefund(ctx context.Context, q *db.Queries, l Refund, in RefundDecision) (bool, error) {
	status, err := l.Rules().StatusAt(in.Now)
	switch {
	case err != nil:
		return false, err
	case l.Row.CancelledAt != nil:
		return false, nil
	case status == refund.Completed:
		return false, refusals.New(refusals.Refund, "the refund is paid")
	case status == refund.Expired:
		return false, refusals.New(refusals.Refund, "the refund has expired")
	}
	if err := q.CancelClaims(ctx, in.RefundID); err != nil {
		return false, err
	}
	return true, q.CancelRefund(ctx, db.CancelRefundParams{ID: in.RefundID, Now: in.Now})
}

// anyClaim reports whether the named claim fulfils such; if none is named, whether any
// claim does.
func anyClaim(l Refund, claimID string, such func(db.RefundClaim) bool) bool {
	for _, c := range l.Claims {
		if (claimID == "" || c.RefundClaim.ID == claimID) && such(c.RefundClaim) {
			return true
		}
	}
	return false
}
