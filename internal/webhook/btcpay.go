package webhook

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Dialect is the format of a webhook's events.
type Dialect string

// The dialects.
const (
	// Ours is that of the contract.
	Ours Dialect = "durapay"
	// BTCPay is that of BTCPay Server's Greenfield API, which shop plugins speak.
	BTCPay Dialect = "btcpay"
)

// BTCPaySignatureHeader carries the signature of a body in BTCPay's shape.
const BTCPaySignatureHeader = "BTCPay-Sig"

// SignBTCPay is the value of that header, keyed by the text of the secret.
func SignBTCPay(secret string, body []byte) string { return "sha256=" + Sign(secret, body) }

// Types of events in BTCPay's shape.
const (
	InvoiceCreated         = "InvoiceCreated"
	InvoiceReceivedPayment = "InvoiceReceivedPayment"
	InvoiceProcessing      = "InvoiceProcessing"
	InvoicePaymentSettled  = "InvoicePaymentSettled"
	InvoiceSettled         = "InvoiceSettled"
	InvoiceExpired         = "InvoiceExpired"
	InvoiceInvalid         = "InvoiceInvalid"
	// InvoiceExpiredPaidPartial is sent in addition to InvoiceExpired, and
	// InvoicePaidAfterExpiration in place of InvoiceSettled: a shop has a mapping of its own
	// for late orders.
	InvoiceExpiredPaidPartial  = "InvoiceExpiredPaidPartial"
	InvoicePaidAfterExpiration = "InvoicePaidAfterExpiration"
)

// BTCPayEvents are all types of that shape.
func BTCPayEvents() []string {
	return []string{
		InvoiceCreated, InvoiceReceivedPayment, InvoiceProcessing, InvoicePaymentSettled, InvoiceSettled, InvoiceExpired, InvoiceInvalid,
		InvoiceExpiredPaidPartial, InvoicePaidAfterExpiration,
	}
}

// IsBTCPayEvent reports whether there is such a type.
func IsBTCPayEvent(name string) bool { return slices.Contains(BTCPayEvents(), name) }

// BTCPayBody returns the stored body of an event in BTCPay's format. It lacks the
// fields of one delivery, and the metadata, which may name the buyer. BTCPayDelivery
// adds both. extra holds the fields of the type.
func BTCPayBody(event, storeID, invoiceID string, at time.Time, extra map[string]any) ([]byte, error) {
	fields := map[string]any{"type": event, "timestamp": at.Unix(), "storeId": storeID, "invoiceId": invoiceID}
	maps.Copy(fields, extra)
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("event body: %w", err)
	}
	return body, nil
}

// BTCPayDelivery is the body of a delivery of a stored event: the same bytes for each
// attempt of a round, unless the metadata was changed meanwhile. Each round beyond
// the first is a delivery of its own in this shape. metadata is the invoice's, as
// JSON.
func BTCPayDelivery(stored, deliveryID, webhookID string, round int, metadata string) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(stored), &fields); err != nil {
		return nil, fmt.Errorf("stored event: %w", err)
	}
	for name, value := range map[string]any{
		"deliveryId": RoundID(deliveryID, round), "webhookId": webhookID, "originalDeliveryId": deliveryID,
		"isRedelivery": round > 1, "metadata": json.RawMessage(metadata),
	} {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("event body: %w", err)
		}
		fields[name] = raw
	}
	return json.Marshal(fields)
}

// RoundID names a round of a delivery's attempts, from 1: the first has the
// delivery's own identifier.
func RoundID(deliveryID string, round int) string {
	if round == 1 {
		return deliveryID
	}
	return fmt.Sprintf("%s-%d", deliveryID, round)
}

// ParseRoundID is the delivery and the round that RoundID names.
func ParseRoundID(id string) (deliveryID string, round int) {
	deliveryID, suffix, found := strings.Cut(id, "-")
	if !found {
		return deliveryID, 1
	}
	round, err := strconv.Atoi(suffix)
	if err != nil || RoundID(deliveryID, round) != id {
		return "", 0
	}
	return deliveryID, round
}
