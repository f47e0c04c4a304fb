package receiver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// invoiceSignature carries the signature of an event in BTCPay's shape.
const invoiceSignature = "BTCPay-Sig"

// InvoiceEvent is the body of a delivery in BTCPay's shape. Fields that its type does
// not have are nil.
type InvoiceEvent struct {
	DeliveryID         string          `json:"deliveryId"`
	WebhookID          string          `json:"webhookId"`
	OriginalDeliveryID string          `json:"originalDeliveryId"`
	IsRedelivery       bool            `json:"isRedelivery"`
	Type               string          `json:"type"`
	Timestamp          int64           `json:"timestamp"`
	StoreID            string          `json:"storeId"`
	InvoiceID          string          `json:"invoiceId"`
	Metadata           json.RawMessage `json:"metadata"`
	OverPaid           *bool           `json:"overPaid"`
	ManuallyMarked     *bool           `json:"manuallyMarked"`
	AfterExpiration    *bool           `json:"afterExpiration"`
}

// Invoice is the event in BTCPay's shape that a request carries. It is an error unless
// the event is signed under the webhook's secret.
func (q Request) Invoice(secret string) (InvoiceEvent, error) {
	var event InvoiceEvent
	if err := json.Unmarshal(q.Body, &event); err != nil {
		return event, fmt.Errorf("an event of an invoice: %w", err)
	}
	signature, found := strings.CutPrefix(q.Header.Get(invoiceSignature), "sha256=")
	if !found || !q.signedBy(signature, secret) {
		return event, fmt.Errorf("the signature of %s of %s is wrong", event.Type, event.InvoiceID)
	}
	return event, nil
}

// InvoiceIs accepts events in BTCPay's shape of one type about one invoice.
func InvoiceIs(kind, id string) func(Request) bool {
	return func(q Request) bool {
		var event InvoiceEvent
		return json.Unmarshal(q.Body, &event) == nil && event.Type == kind && event.InvoiceID == id
	}
}
