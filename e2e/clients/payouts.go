package clients

import (
	"context"
	"net/url"

	"github.com/durapay/durapay/internal/money"
)

// Balance is what a sweep could pay out.
type Balance struct {
	UnpaidCharges    int            `json:"unpaid_charges"`
	TotalXMR         money.Piconero `json:"total_xmr"`
	LockedXMR        money.Piconero `json:"locked_xmr"`
	FeeRate          money.Decimal  `json:"fee_rate"`
	HasPayoutAddress bool           `json:"has_payout_address"`
}

// Payout is a sweep. Status is set in lists, not in a sweep's answer.
type Payout struct {
	PayoutID      string         `json:"payout_id"`
	Status        string         `json:"status"`
	AmountXMR     money.Piconero `json:"amount_xmr"`
	FeeXMR        money.Piconero `json:"fee_xmr"`
	NetworkFeeXMR money.Piconero `json:"network_fee_xmr"`
	TxHash        *string        `json:"tx_hash"`
	ChargesPaid   int            `json:"charges_paid"`
	Error         *string        `json:"error"`
	// RefundXMR is the amount that went to a buyer in addition to the merchant's.
	RefundXMR money.Piconero `json:"refund_xmr"`
	// SwapID is set when the payout pays a swap.
	SwapID *string `json:"swap_id"`
}

// Balance returns the merchant's balance.
func (c *Merchant) Balance(ctx context.Context) (Balance, error) {
	return get[Balance](ctx, c, "/api/payouts/balance")
}

// Sweep pays out the available balance.
func (c *Merchant) Sweep(ctx context.Context) (Payout, error) {
	return post[Payout](ctx, c, "/api/payouts/sweep", nil)
}

// Payouts lists the payouts, newest first.
func (c *Merchant) Payouts(ctx context.Context) ([]Payout, error) {
	return list[Payout](ctx, c, "/api/payouts", "payouts")
}

// SetAutoSwap has the payouts of now on swapped to a coin.
func (c *Merchant) SetAutoSwap(ctx context.Context, currency, address string) error {
	body := map[string]any{"enabled": true, "currency": currency, "address": address}
	return c.call(ctx, "PUT /api/merchants/auto-swap", body, nil)
}

// RefundClaim is a claim of a refund.
type RefundClaim struct {
	ID        string         `json:"id"`
	Status    string         `json:"status"`
	AmountXMR money.Piconero `json:"amount_xmr"`
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
	Link      string         `json:"link"`
	Claims    []RefundClaim  `json:"claims"`
}

// CreateRefund makes a refund of a charge, of an amount of XMR.
func (c *Merchant) CreateRefund(ctx context.Context, chargeID, amount string) (Refund, error) {
	body := map[string]any{"variant": "Custom", "amount": money.MustDecimal(amount), "currency": "XMR"}
	return post[Refund](ctx, c, "/api/charges/"+chargeID+"/refunds", body)
}

// Refund reads a refund.
func (c *Merchant) Refund(ctx context.Context, id string) (Refund, error) {
	return get[Refund](ctx, c, "/api/refunds/"+id)
}

// ApproveRefund lets all claims be paid.
func (c *Merchant) ApproveRefund(ctx context.Context, id string) (Refund, error) {
	return post[Refund](ctx, c, "/api/account/refunds/"+id+"/approve", map[string]any{})
}

// ClaimRefund claims an amount of a refund, all that is left for 0, by the secret of its
// link.
func (c *Merchant) ClaimRefund(ctx context.Context, id, token, address string, amount money.Piconero) (claimID string, err error) {
	body := map[string]any{"token": token, "address": address}
	if amount > 0 {
		body["amount_xmr"] = amount
	}
	made, err := post[struct {
		ClaimID string `json:"claim_id"`
	}](ctx, c, "/api/refunds/"+id+"/claims", body)
	return made.ClaimID, err
}

// GivePayment proves that a transaction of the shop's own wallet pays a claim.
func (c *Merchant) GivePayment(ctx context.Context, id, claimID, txHash, txKey string) (Refund, error) {
	return post[Refund](ctx, c, "/api/refunds/"+id+"/claims/"+claimID+"/payment", map[string]string{"tx_hash": txHash, "tx_key": txKey})
}

// CancelRefund ends a refund; claims that are being paid continue.
func (c *Merchant) CancelRefund(ctx context.Context, id string) (Refund, error) {
	return post[Refund](ctx, c, "/api/refunds/"+id+"/cancel", map[string]any{})
}

// LetKeyApprove lets the account's own key approve claims.
func (c *Merchant) LetKeyApprove(ctx context.Context) error {
	return c.call(ctx, "PUT /api/account/refunds", map[string]any{"auto_up_to_xmr": 0, "approve_by_key": true}, nil)
}

// ApproveUpTo lets refunds of at most an amount be paid without an approval.
func (c *Merchant) ApproveUpTo(ctx context.Context, most money.Piconero) error {
	return c.call(ctx, "PUT /api/account/refunds", map[string]any{"auto_up_to_xmr": most, "approve_by_key": false}, nil)
}

// SwapQuote is an offer of a swap provider.
type SwapQuote struct {
	From         string        `json:"from"`
	To           string        `json:"to"`
	Amount       money.Decimal `json:"amount"`
	QuoteID      string        `json:"quoteId"`
	OutputAmount money.Decimal `json:"outputAmount"`
	Provider     string        `json:"provider"`
}

// NewSwap asks for a swap; refunds go to the payout address.
type NewSwap struct {
	From    string        `json:"from"`
	To      string        `json:"to"`
	Amount  money.Decimal `json:"amount"`
	Address string        `json:"address"`
	QuoteID string        `json:"quoteId"`
}

// Swap is a swap. Only answers about its status have the fields from AmountTo on.
type Swap struct {
	ID               string  `json:"id"`
	SwapID           string  `json:"swapId"`
	Provider         string  `json:"provider"`
	DepositAddress   string  `json:"depositAddress"`
	AmountFrom       string  `json:"amountFrom"`
	AmountToExpected string  `json:"amountToExpected"`
	Status           string  `json:"status"`
	ExpiresAt        string  `json:"expiresAt"`
	AmountTo         *string `json:"amountTo"`
	TxDeposit        *string `json:"txDeposit"`
	TxPayout         *string `json:"txPayout"`
	TxRefund         *string `json:"txRefund"`
}

// SwapQuote asks what an amount of XMR would bring in another coin.
func (c *Merchant) SwapQuote(ctx context.Context, to string, amount money.Decimal) (SwapQuote, error) {
	query := url.Values{"to": {to}, "amount": {amount.String()}}
	return get[SwapQuote](ctx, c, "/api/swap/quote?"+query.Encode())
}

// CreateSwap orders a swap.
func (c *Merchant) CreateSwap(ctx context.Context, in NewSwap) (Swap, error) {
	return post[Swap](ctx, c, "/api/swap/create", in)
}

// SwapStatus asks where a swap stands.
func (c *Merchant) SwapStatus(ctx context.Context, id string) (Swap, error) {
	return get[Swap](ctx, c, "/api/swap/status/"+url.PathEscape(id))
}

// Swaps lists the newest swaps.
func (c *Merchant) Swaps(ctx context.Context) ([]Swap, error) {
	return list[Swap](ctx, c, "/api/swaps", "swaps")
}
