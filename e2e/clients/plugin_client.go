package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Plugin calls the Greenfield surface for a shop.
type Plugin struct {
	// BaseURL is the service's, without a trailing slash.
	BaseURL string
	Key     PluginKey
	// HTTP makes the calls; http.DefaultClient when nil.
	HTTP *http.Client
}

// Invoice is what a plugin reads of an invoice. Amounts are text.
type Invoice struct {
	ID               string          `json:"id"`
	StoreID          string          `json:"storeId"`
	Amount           string          `json:"amount"`
	Currency         string          `json:"currency"`
	CheckoutLink     string          `json:"checkoutLink"`
	Status           string          `json:"status"`
	AdditionalStatus string          `json:"additionalStatus"`
	Metadata         json.RawMessage `json:"metadata"`
}

// Method is how an invoice is paid.
type Method struct {
	Destination string `json:"destination"`
	Amount      string `json:"amount"`
	Due         string `json:"due"`
	TotalPaid   string `json:"totalPaid"`
	// Payments are those that were seen, oldest first.
	Payments []struct {
		// ID is the transaction's hash, a dash and a number.
		ID     string `json:"id"`
		Value  string `json:"value"`
		Status string `json:"status"`
	} `json:"payments"`
}

// PluginWebhook is a subscription; Secret is known from its creation only.
type PluginWebhook struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

// CreateWebhook subscribes a URL to every event of invoices.
func (c *Plugin) CreateWebhook(ctx context.Context, url string) (PluginWebhook, error) {
	var hook PluginWebhook
	return hook, c.call(ctx, http.MethodPost, "/webhooks", map[string]any{"url": url, "secret": nil}, &hook)
}

// CreateInvoice asks a buyer for an amount for an order.
func (c *Plugin) CreateInvoice(ctx context.Context, amount, currency, orderID string) (Invoice, error) {
	var made Invoice
	body := map[string]any{"amount": amount, "currency": currency, "metadata": map[string]any{"orderId": orderID}}
	return made, c.call(ctx, http.MethodPost, "/invoices", body, &made)
}

// Invoice reads an invoice.
func (c *Plugin) Invoice(ctx context.Context, id string) (Invoice, error) {
	var found Invoice
	return found, c.call(ctx, http.MethodGet, "/invoices/"+id, nil, &found)
}

// Methods returns the ways to pay an invoice, with the amounts paid.
func (c *Plugin) Methods(ctx context.Context, id string) ([]Method, error) {
	var list []Method
	return list, c.call(ctx, http.MethodGet, "/invoices/"+id+"/payment-methods", nil, &list)
}

// call sends body as JSON, when there is one, to a path in the store, and decodes the
// answer. Everything but 200 is an error, as plugins have it.
func (c *Plugin) call(ctx context.Context, method, path string, body, answer any) error {
	path = "/api/v1/stores/" + c.Key.StoreID + path
	got, err := Send(ctx, c.HTTP, method, c.BaseURL+path, map[string]string{"Authorization": "token " + c.Key.APIKey}, body)
	if err == nil && got.Status != http.StatusOK {
		err = fmt.Errorf("%s: %s", got.Line, got.Body)
	}
	if err == nil {
		err = json.Unmarshal(got.Body, answer)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// PullPayment is a refund. Anyone who knows its ID can claim it.
type PullPayment struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
	// ViewLink is the buyer's page.
	ViewLink string `json:"viewLink"`
}

// PluginPayout is a claim of a refund.
type PluginPayout struct {
	ID            string `json:"id"`
	PullPaymentID string `json:"pullPaymentId"`
	PayoutAmount  string `json:"payoutAmount"`
	State         string `json:"state"`
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
