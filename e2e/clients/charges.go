package clients

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// NewCharge is the request of a charge. Amount is exact: it is sent digit for
// digit.
type NewCharge struct {
	Amount    money.Decimal   `json:"amount"`
	Currency  string          `json:"currency,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty"`
}

// Charge is the full charge of the contract, as far as it is looked at here.
type Charge struct {
	ID                    string          `json:"id"`
	MerchantID            string          `json:"merchant_id"`
	Amount                money.Decimal   `json:"amount"`
	Currency              string          `json:"currency"`
	AmountXMR             money.Piconero  `json:"amount_xmr"`
	AmountReceivedXMR     money.Piconero  `json:"amount_received_xmr"`
	AmountDueXMR          money.Piconero  `json:"amount_due_xmr"`
	Subaddress            string          `json:"subaddress"`
	SubaddressAccount     int             `json:"subaddress_account"`
	SubaddressIndex       int             `json:"subaddress_index"`
	Status                string          `json:"status"`
	Confirmations         int             `json:"confirmations"`
	ConfirmationsRequired int             `json:"confirmations_required"`
	PaymentState          string          `json:"payment_state"`
	Late                  bool            `json:"late"`
	Active                bool            `json:"active"`
	LinkState             string          `json:"link_state"`
	LinkExpiresAt         *time.Time      `json:"link_expires_at"`
	Sandbox               bool            `json:"sandbox"`
	Source                string          `json:"source"`
	Payments              []Payment       `json:"payments"`
	PayoutID              *string         `json:"payout_id"`
	Metadata              json.RawMessage `json:"metadata"`
	PaymentURL            string          `json:"payment_url"`
	PaymentURI            string          `json:"payment_uri"`
	XMRRate               *money.Decimal  `json:"xmr_rate"`
	CreatedAt             time.Time       `json:"created_at"`
	ExpiresAt             time.Time       `json:"expires_at"`
	ConfirmedAt           *time.Time      `json:"confirmed_at"`
}

// Payment is one transaction's payment to a charge.
type Payment struct {
	TxHash        string         `json:"tx_hash"`
	AmountXMR     money.Piconero `json:"amount_xmr"`
	Confirmations int            `json:"confirmations"`
	Height        *uint64        `json:"height"`
}

// CreateCharge makes a charge with the client's key.
func (c *Merchant) CreateCharge(ctx context.Context, n NewCharge) (Charge, error) {
	return post[Charge](ctx, c, "/api/charges", n)
}

// Charge reads one charge.
func (c *Merchant) Charge(ctx context.Context, id string) (Charge, error) {
	return get[Charge](ctx, c, "/api/charges/"+id)
}

// Charges lists the newest charges of the key's mode, at most 100.
func (c *Merchant) Charges(ctx context.Context) ([]Charge, error) {
	return list[Charge](ctx, c, "/api/charges", "charges")
}

// ChargesOfOrder lists the charges of the key's mode with this metadata.order_id, at
// most 100.
func (c *Merchant) ChargesOfOrder(ctx context.Context, order string) ([]Charge, error) {
	return list[Charge](ctx, c, "/api/charges?order_id="+url.QueryEscape(order), "charges")
}

// PublicCharge reads what a customer sees of a charge.
func (c *Merchant) PublicCharge(ctx context.Context, id string) (Charge, error) {
	return get[Charge](ctx, &Merchant{BaseURL: c.BaseURL, HTTP: c.HTTP}, "/api/charges/"+id+"/public")
}

// PaySimulated pays a charge of the simulated sandbox in full, so many blocks deep.
func (c *Merchant) PaySimulated(ctx context.Context, id string, confirmations int) error {
	return c.call(ctx, "POST /api/test/charges/"+id+"/pay", map[string]int{"confirmations": confirmations}, nil)
}

// AcceptUnderpaid accepts the received amount as the price.
func (c *Merchant) AcceptUnderpaid(ctx context.Context, id string) (Charge, error) {
	return post[Charge](ctx, c, "/api/charges/"+id+"/accept-underpaid", nil)
}

// ToggleLink switches a charge's link off or on again and returns its state.
func (c *Merchant) ToggleLink(ctx context.Context, id string) (Charge, error) {
	return post[Charge](ctx, c, "/api/charges/"+id+"/toggle-active", nil)
}
