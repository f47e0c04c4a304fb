package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
	"github.com/durapay/durapay/workflows"
)

// RefundLinks creates refunds and takes claims.
type RefundLinks struct {
	Store *postgres.Store
	Box   *secret.Box
	// Start takes claims.
	Start Workflows
	Terms chargestore.RefundTerms
	// Leave returns whether the caller may make a refund without approval. It is
	// access.Guard.RefundLeave.
	Leave   func(ctx context.Context, caller access.Key) (refund.Leave, error)
	Notices notice.Notices
	Clock   func() time.Time
	// PublicURL is the base URL that buyers see, without a trailing slash.
	PublicURL string
}

// These are the maximum lengths of a merchant's texts, in characters.
const (
	maxRefundName        = 50
	maxRefundDescription = 1000
)

// NewRefund describes a refund to create.
type NewRefund struct {
	// ChargeID is empty for a refund without a charge, see package refund.
	ChargeID string
	Refund   refund.Ask
	// Name and Description are shown to the buyer; they may be empty.
	Name, Description string
	// ExpiresAt is the time until which it can be claimed; nil for refund.DefaultLife.
	ExpiresAt *time.Time
}

// Create creates a refund and returns it with its link. Clients may see its errors.
func (l RefundLinks) Create(ctx context.Context, caller access.Key, ask NewRefund) (refund.Refunded, error) {
	now := l.now()
	expires := now.Add(refund.DefaultLife)
	if ask.ExpiresAt != nil {
		expires = *ask.ExpiresAt
	}
	wrong := ask.Refund.Check()
	switch {
	case wrong != nil:
		return refund.Refunded{}, httpapi.BadRequest("%s", wrong.Error())
	case !expires.After(now), expires.After(now.Add(refund.MaxLife)):
		return refund.Refunded{}, httpapi.BadRequest("the end must be within a year from now")
	}
	if err := cmp.Or(checkText("name", ask.Name, maxRefundName), checkText("description", ask.Description, maxRefundDescription)); err != nil {
		return refund.Refunded{}, err
	}
	leave, err := l.Leave(ctx, caller)
	if err != nil {
		return refund.Refunded{}, err
	}
	id, token := secret.NewID("rf_"), secret.NewSecret()
	sealed, err := l.Box.Seal([]byte(token), secret.RefundTokenPlace.Of(id))
	if err != nil {
		return refund.Refunded{}, err
	}
	row := chargestore.NewRefund{
		RefundID: id, MerchantID: caller.MerchantID, ChargeID: ask.ChargeID, Ask: ask.Refund, Name: ask.Name, Description: ask.Description,
		Leave: leave, MadeBy: caller.MadeBy(), MadeWith: caller.Hash(), TokenHash: secret.HashAPIKey(token), TokenSealed: sealed,
		ExpiresAt: expires.UTC().Truncate(time.Millisecond), Now: now,
	}
	err = access.ChangeByKey(ctx, l.Store, caller, func(q *db.Queries) error { return l.Terms.Create(ctx, q, row) })
	if err != nil {
		return refund.Refunded{}, err
	}
	return l.Get(ctx, caller.MerchantID, id)
}

// now is the time that the rows of a change have.
func (l RefundLinks) now() time.Time { return l.Clock().UTC().Truncate(time.Millisecond) }

// checkText refuses a text that is too long or cannot be stored.
func checkText(field, text string, most int) error {
	if utf8.RuneCountInString(text) > most || strings.ContainsRune(text, 0) {
		return &httpapi.Problem{
			Text: fmt.Sprintf("%s must have at most %d characters, none of them NUL", field, most), Status: http.StatusBadRequest, Field: field,
		}
	}
	return nil
}

// load reads a refund. It returns httpapi.NotFound if there is none.
func (l RefundLinks) load(ctx context.Context, id string) (chargestore.Refund, error) {
	if !isRefundID(id) {
		return chargestore.Refund{}, httpapi.NotFound("refund")
	}
	var found chargestore.Refund
	err := l.Store.Snapshot(ctx, func(q *db.Queries) (err error) {
		found, err = chargestore.LoadRefund(ctx, q, id)
		return err
	})
	return found, httpapi.Missing(err, httpapi.NotFound("refund"))
}

// own is load for a refund of a merchant. A refund of another merchant is not found.
func (l RefundLinks) own(ctx context.Context, merchantID, id string) (chargestore.Refund, error) {
	found, err := l.load(ctx, id)
	if err == nil && found.Row.MerchantID != merchantID {
		err = httpapi.NotFound("refund")
	}
	return found, err
}

// Get returns a refund of a merchant, with its link and the keys of its transactions.
func (l RefundLinks) Get(ctx context.Context, merchantID, id string) (refund.Refunded, error) {
	found, err := l.own(ctx, merchantID, id)
	if err != nil {
		return refund.Refunded{}, err
	}
	view, err := found.View(l.Clock())
	if err != nil {
		return view, err
	}
	if view.Link, err = l.linkTo(found.Row); err != nil {
		return view, err
	}
	if err := l.addPayments(found, view.Claims); err != nil {
		return view, err
	}
	return view, l.addProofs(found, view.Claims)
}

// linkTo returns the link of a refund; nil if the secret is no longer stored.
func (l RefundLinks) linkTo(row db.Refund) (*string, error) {
	if row.TokenSealed == nil {
		return nil, nil //nolint:nilnil // no link is no error
	}
	token, err := l.Box.Unseal(row.TokenSealed, secret.RefundTokenPlace.Of(row.ID))
	if err != nil {
		return nil, err
	}
	link := l.PublicURL + account.RefundPath + row.ID + "/" + string(token)
	return &link, nil
}

// List returns the newest refunds of a merchant, without links. With toApprove it returns only
// those with a claim that waits for approval.
func (l RefundLinks) List(ctx context.Context, merchantID string, toApprove bool, limit int32) ([]refund.Refunded, error) {
	return l.views(ctx, func(q *db.Queries) ([]db.Refund, error) {
		if toApprove {
			return q.ListRefundsToApprove(ctx, db.ListRefundsToApproveParams{MerchantID: merchantID, MaxRows: limit})
		}
		return q.ListRefunds(ctx, db.ListRefundsParams{MerchantID: merchantID, Limit: limit})
	})
}

// OfCharge returns the refunds of a charge, the oldest first, without links. The caller has
// checked that the charge belongs to the merchant.
func (l RefundLinks) OfCharge(ctx context.Context, chargeID string) ([]refund.Refunded, error) {
	return l.views(ctx, func(q *db.Queries) ([]db.Refund, error) { return q.RefundsOfCharge(ctx, chargeID) })
}

func (l RefundLinks) views(ctx context.Context, find func(*db.Queries) ([]db.Refund, error)) ([]refund.Refunded, error) {
	var list []chargestore.Refund
	err := l.Store.Snapshot(ctx, func(q *db.Queries) error {
		rows, err := find(q)
		if err != nil {
			return err
		}
		list, err = chargestore.WithClaims(ctx, q, rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	views := make([]refund.Refunded, len(list))
	for i, r := range list {
		if views[i], err = r.View(l.Clock()); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// Approve approves a claim, or all waiting claims if claimID is empty, for a session of the
// merchant m. It notifies the merchant of the first approval in a session: a thief with the
// session and the password could use approvals to send money to any address. It is safe to
// repeat. Clients may see its errors.
func (l RefundLinks) Approve(ctx context.Context, m db.Merchant, id, claimID string) (refund.Refunded, error) {
	return l.decide(ctx, m.MerchantID, id, claimID, func(d chargestore.RefundDecision) error {
		return access.Change(ctx, l.Store, m, func(q *db.Queries) error {
			if approved, err := chargestore.ApproveClaims(ctx, q, d); err != nil || !approved {
				return err
			}
			return l.Notices.EnqueueOnce(ctx, q, m, notice.RefundApproved, access.SessionOf(ctx).ID)
		})
	})
}

// ApproveByKey is Approve for a caller with the account's own key. It returns httpapi.Forbidden
// unless the merchant allows that key to approve, and while that permission is still on hold.
func (l RefundLinks) ApproveByKey(ctx context.Context, caller access.Key, id, claimID string) (refund.Refunded, error) {
	return l.decide(ctx, caller.MerchantID, id, claimID, func(d chargestore.RefundDecision) error {
		return access.ChangeByKey(ctx, l.Store, caller, func(q *db.Queries) error {
			if err := keyApproves(ctx, q, caller.MerchantID, d.Now); err != nil {
				return err
			}
			_, err := chargestore.ApproveClaims(ctx, q, d)
			return err
		})
	})
}

func keyApproves(ctx context.Context, q *db.Queries, merchantID string, now time.Time) error {
	m, err := q.GetMerchant(ctx, merchantID)
	if err != nil {
		return err
	}
	if !m.RefundKeyApproves {
		return httpapi.Forbidden("keys do not approve refunds: approve with a session, or let the account's key approve")
	}
	if until := payout.HeldUntil(m.RefundHoldUntil, now); until != nil {
		return httpapi.Forbidden("that the account's key approves was allowed just now: approve with a session until " + wire.TimeOf(*until).String())
	}
	return nil
}

// Cancel ends a refund, or withdraws a claim that is not being paid. It is safe to repeat.
// Clients may see its errors.
func (l RefundLinks) Cancel(ctx context.Context, caller access.Key, id, claimID string) (refund.Refunded, error) {
	return l.decide(ctx, caller.MerchantID, id, claimID, func(d chargestore.RefundDecision) error {
		return access.ChangeByKey(ctx, l.Store, caller, func(q *db.Queries) error { return chargestore.CancelRefund(ctx, q, d) })
	})
}

func (l RefundLinks) decide(ctx context.Context, merchantID, id, claimID string, do func(chargestore.RefundDecision) error) (refund.Refunded, error) {
	if _, err := l.own(ctx, merchantID, id); err != nil {
		return refund.Refunded{}, err
	}
	if err := do(chargestore.RefundDecision{RefundID: id, ClaimID: claimID, Now: l.now()}); err != nil {
		return refund.Refunded{}, err
	}
	return l.Get(ctx, merchantID, id)
}

// Public returns the view of a refund for anyone who has its link, with the keys of its
// transactions. A wrong secret gets the same answer as a refund that does not exist.
func (l RefundLinks) Public(ctx context.Context, id, token string) (refund.PublicRefund, error) {
	found, err := l.opened(ctx, id, token)
	if err != nil {
		return refund.PublicRefund{}, err
	}
	return l.public(ctx, found)
}

// opened is load for a caller who knows the secret of the link.
func (l RefundLinks) opened(ctx context.Context, id, token string) (chargestore.Refund, error) {
	found, err := l.load(ctx, id)
	if err == nil && !secret.Equal(found.Row.TokenHash, secret.HashAPIKey(token)) {
		err = httpapi.NotFound("refund")
	}
	return found, err
}

func (l RefundLinks) public(ctx context.Context, found chargestore.Refund) (refund.PublicRefund, error) {
	m, err := l.Store.GetMerchant(ctx, found.Row.MerchantID)
	if err != nil {
		return refund.PublicRefund{}, err
	}
	view, err := found.PublicView(m.BusinessName, l.Clock())
	if err != nil {
		return view, err
	}
	view.Contact = m.Contact
	return view, l.addProofs(found, view.Claims)
}

// Claim claims a part of a refund for an address, or everything that remains if amount is 0.
// Claiming the same again returns the same claim. Claim returns the refund and the claim's
// identifier. Clients may see its errors.
func (l RefundLinks) Claim(ctx context.Context, id, token, address string, amount money.Piconero) (refund.PublicRefund, string, error) {
	found, err := l.opened(ctx, id, token)
	if err != nil {
		return refund.PublicRefund{}, "", err
	}
	if to, err := monero.ParseAddress(address); err != nil || to.Network != monero.Mainnet || to.Kind == monero.KindIntegrated {
		return refund.PublicRefund{}, "", httpapi.BadRequest("address must be a Monero address of the main network, and not an integrated one")
	}
	// This check comes before the call to Temporal, so that an invalid claim starts no workflow and
	// fills no history.
	if err := judge(found, address, amount, l.Clock()); err != nil {
		return refund.PublicRefund{}, "", err
	}
	claimID, err := l.Start.ClaimRefund(ctx, found.Row.MerchantID, id, workflows.ClaimRefund{
		ClaimID: secret.NewID("rc_"), Address: address, Amount: amount,
	})
	if err != nil {
		return refund.PublicRefund{}, "", err
	}
	view, err := l.Public(ctx, id, token)
	return view, claimID, err
}

// ClaimAmount is the field that an error of Claim names if the amount is refused.
const ClaimAmount = "amount"

// judge refuses a claim that the rows alone rule out. It sees only masked addresses, so a claim
// with the same mask counts as the same claim. The run holds the row and knows the addresses,
// and checks the claim again.
func judge(found chargestore.Refund, address string, amount money.Piconero, now time.Time) error {
	rules := found.Rules()
	for i, c := range found.Claims {
		rules.Claims[i].Address = c.RefundClaim.AddressMasked
	}
	_, _, err := rules.NewClaim(payout.MaskAddress(address), amount, now)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, refund.ErrTooMuch), errors.Is(err, refund.ErrTooSmall):
		return &httpapi.Problem{Text: err.Error(), Status: http.StatusBadRequest, Field: ClaimAmount}
	default:
		return refusals.New(refusals.Refund, err.Error())
	}
}

// addProofs adds the proofs of the transactions that were sent: their secret keys, and a proof
// for the claim's address.
func (l RefundLinks) addProofs(found chargestore.Refund, claims []refund.ClaimState) error {
	for i, c := range found.Claims {
		sealed := c.RefundClaim.ProofSealed
		if sealed == nil || claims[i].TxHash == nil {
			continue
		}
		text, err := l.Box.Unseal(sealed, secret.ClaimProofPlace.Of(c.RefundClaim.ID))
		if err != nil {
			return err
		}
		var proof refund.Proof
		if err := json.Unmarshal(text, &proof); err != nil {
			return fmt.Errorf("proof of %s: %w", c.RefundClaim.ID, err)
		}
		claims[i].TxKey = &proof.TxKey
		if proof.TxProof != "" {
			claims[i].TxProof = &proof.TxProof
		}
	}
	return nil
}

// isRefundID reports whether a text has the form of a refund's identifier.
func isRefundID(id string) bool { return httpapi.PlainID(id, "rf_") }
