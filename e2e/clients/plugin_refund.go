package clients

import (
	"context"
	"net/http"
)

// PullPayment is a refund. Anyone who knows its ID can claim it.
type PullPayment struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
	Archived bool   `json:"archived"`
	// ViewLink is the buyer's page.
	ViewLink string `json:"viewLink"`
}

// PluginPayout is a claim of a refund.
type PluginPayout struct {
	ID            string  `json:"id"`
	PullPaymentID string  `json:"pullPaymentId"`
	PayoutAmount  string  `json:"payoutAmount"`
	State         string  `json:"state"`
	WaitsFor      *string `json:"waitsFor"`
	// PaymentProof is nil before the transaction was sent.
	PaymentProof *struct {
		ID    string  `json:"id"`
		TxKey *string `json:"txKey"`
	} `json:"paymentProof"`
}

// Refund gives back an invoice's payment, less a percentage that the shop keeps.
func (c *Plugin) Refund(ctx context.Context, invoiceID, keptPercent string) (PullPayment, error) {
	var made PullPayment
	body := map[string]any{"refundVariant": "RateThen", "subtractPercentage": keptPercent, "paymentMethod": "XMR-CHAIN"}
	return made, c.call(ctx, http.MethodPost, "/invoices/"+invoiceID+"/refund", body, &made)
}
