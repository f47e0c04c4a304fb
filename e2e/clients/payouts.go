package clients

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/internal/money"
)

// Balance is what a sweep could pay out.
type Balance struct {
	UnpaidCharges    int            `json:"unpaid_charges"`
	TotalXMR         money.Piconero `json:"total_xmr"`
	LockedXMR        money.Piconero `json:"locked_xmr"`
	FeeRate          money.Decimal  `json:"fee_rate"`
	NetXMR           money.Piconero `json:"net_xmr"`
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
	var b Balance
	return b, c.call(ctx, http.MethodGet, "/api/payouts/balance", nil, &b)
}

// Sweep pays out the available balance.
func (c *Merchant) Sweep(ctx context.Context) (Payout, error) {
	var p Payout
	return p, c.call(ctx, http.MethodPost, "/api/payouts/sweep", nil, &p)
}

// Payouts lists the payouts, newest first.
func (c *Merchant) Payouts(ctx context.Context) ([]Payout, error) {
	var list struct {
		Payouts []Payout `json:"payouts"`
	}
	err := c.call(ctx, http.MethodGet, "/api/payouts", nil, &list)
	return list.Payouts, err
}

// SetAutoSwap has the payouts of now on swapped to a coin.
func (c *Merchant) SetAutoSwap(ctx context.Context, currency, address string) error {
	body := map[string]any{"enabled": true, "currency": currency, "address": address}
	return c.call(ctx, http.MethodPut, "/api/merchants/auto-swap", body, nil)
}
