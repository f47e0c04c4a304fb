package clients

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/internal/money"
)

// RefundClaim is a claim of a refund.
type RefundClaim struct {
	ID        string         `json:"id"`
	Status    string         `json:"status"`
	AmountXMR money.Piconero `json:"amount_xmr"`
	WaitsFor  *string        `json:"waits_for"`
	PayoutID  *string        `json:"payout_id"`
	TxHash    *string        `json:"tx_hash"`
	TxKey     *string        `json:"tx_key"`
	TxProof   *string        `json:"tx_proof"`
}

// Refund is a refund of a charge.
type Refund struct {
	ID        string         `json:"id"`
	Status    string         `json:"status"`
	AmountXMR money.Piconero `json:"amount_xmr"`
	LeftXMR   money.Piconero `json:"left_xmr"`
	Link      string         `json:"link"`
	Claims    []RefundClaim  `json:"claims"`
}

// CreateRefund makes a refund of a charge, of an amount of XMR.
func (c *Merchant) CreateRefund(ctx context.Context, chargeID, amount string) (Refund, error) {
	var r Refund
	body := map[string]any{"variant": "Custom", "amount": money.MustDecimal(amount), "currency": "XMR"}
	return r, c.call(ctx, http.MethodPost, "/api/charges/"+chargeID+"/refunds", body, &r)
}

// Refund reads a refund.
func (c *Merchant) Refund(ctx context.Context, id string) (Refund, error) {
	var r Refund
	return r, c.call(ctx, http.MethodGet, "/api/refunds/"+id, nil, &r)
}

// ApproveRefund lets all claims be paid.
func (c *Merchant) ApproveRefund(ctx context.Context, id string) (Refund, error) {
	var r Refund
	return r, c.call(ctx, http.MethodPost, "/api/account/refunds/"+id+"/approve", map[string]any{}, &r)
}

// ClaimRefund claims an amount of a refund, all that is left for 0, by the secret of its
// link.
func (c *Merchant) ClaimRefund(ctx context.Context, id, token, address string, amount money.Piconero) (claimID string, err error) {
	body := map[string]any{"token": token, "address": address}
	if amount > 0 {
		body["amount_xmr"] = amount
	}
	var made struct {
		ClaimID string `json:"claim_id"`
	}
	err = c.call(ctx, http.MethodPost, "/api/refunds/"+id+"/claims", body, &made)
	return made.ClaimID, err
}

// CancelRefund ends a refund; claims that are being paid continue.
func (c *Merchant) CancelRefund(ctx context.Context, id string) (Refund, error) {
	var r Refund
	return r, c.call(ctx, http.MethodPost, "/api/refunds/"+id+"/cancel", map[string]any{}, &r)
}

// LetKeyApprove lets the account's own key approve claims.
func (c *Merchant) LetKeyApprove(ctx context.Context) error {
	return c.call(ctx, http.MethodPut, "/api/account/refunds", map[string]any{"auto_up_to_xmr": 0, "approve_by_key": true}, nil)
}

// ApproveUpTo lets refunds of at most an amount be paid without an approval.
func (c *Merchant) ApproveUpTo(ctx context.Context, most money.Piconero) error {
	return c.call(ctx, http.MethodPut, "/api/account/refunds", map[string]any{"auto_up_to_xmr": most, "approve_by_key": false}, nil)
}
