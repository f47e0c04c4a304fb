package webhooks

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/event"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/wire"
)

// chargeEvent documents the body of every charge event.
type chargeEvent struct {
	Event     string      `json:"event" doc:"Name of the event" example:"charge.confirmed"`
	Data      charge.View `json:"data"`
	Timestamp wire.Time   `json:"timestamp" doc:"Emission; retries carry the same"`
}

// payoutEvent documents the body of payout.sent.
type payoutEvent struct {
	Event     string     `json:"event" doc:"Name of the event" example:"payout.sent"`
	Data      payoutSent `json:"data"`
	Timestamp wire.Time  `json:"timestamp" doc:"Emission; retries carry the same"`
}

type payoutSent struct {
	ID            string         `json:"id" doc:"Equal to payout_id"`
	PayoutID      string         `json:"payout_id" example:"po_0123456789abcdef01234567"`
	AmountXMR     money.Piconero `json:"amount_xmr" doc:"Net amount sent"`
	FeeXMR        money.Piconero `json:"fee_xmr" doc:"Operator's fee"`
	NetworkFeeXMR money.Piconero `json:"network_fee_xmr" doc:"Chain's fee"`
	TxHash        string         `json:"tx_hash" doc:"Transaction"`
	ChargeCount   int32          `json:"charge_count" doc:"Charges swept"`
	SwapID        *string        `json:"swap_id" doc:"The swap that the transaction pays; null for a payout in Monero" example:"swp_0123456789abcdef01234567"`
	SentAt        wire.Time      `json:"sent_at"`
}

// refundEvent documents the body of refund events.
type refundEvent struct {
	Event     string           `json:"event" doc:"Name of the event" example:"refund.sent"`
	Data      event.RefundData `json:"data"`
	Timestamp wire.Time        `json:"timestamp" doc:"Emission; retries carry the same"`
}

// pingEvent documents the body of ping.
type pingEvent struct {
	Event     string    `json:"event" doc:"Name of the event" example:"ping"`
	Data      pinged    `json:"data"`
	Timestamp wire.Time `json:"timestamp" doc:"Emission; retries carry the same"`
}

type pinged struct {
	ID        string `json:"id" doc:"The delivery" example:"whd_0123456789abcdef01234567"`
	WebhookID string `json:"webhook_id" example:"wh_0123456789abcdef01234567"`
}

// eventName returns the name of an event for an operation ID: charge.late_confirmed becomes
// ChargeLateConfirmed.
func eventName(event string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(event, func(r rune) bool { return r == '.' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// emitted returns for each event a text that explains when it is sent, and what its data shows.
func emitted() map[string]string {
	return map[string]string{
		charge.EventCreated:          "A charge was made, in whatever way.",
		charge.EventPending:          "Once per charge: its first payment was seen while it is pending, in the pool or in a block.",
		charge.EventConfirmed:        "The charge has its confirmations. data has the buyer's values in metadata.buyer_info.",
		charge.EventLateConfirmed:    "An expired charge has its confirmations; its status is confirmed, and late is true.",
		charge.EventExpired:          "The payment timeout has passed without enough confirmations.",
		webhook.EventPayoutSent:      "The transaction of a payout was broadcast. data.id is payout_id.",
		webhook.EventRefundCreated:   "A refund was made. data.id is refund_id.",
		webhook.EventRefundClaimed:   "The buyer has claimed a refund, or a part of it; it waits for approval unless that is automatic. data.id is the claim.",
		webhook.EventRefundSent:      "The transaction that pays a claim was broadcast. data.id is the claim.",
		webhook.EventRefundConfirmed: "That transaction has 10 confirmations. Told once, also where a reorganization takes it back. data.id is the claim.",
		webhook.EventPing:            "The test of a webhook. data.id is the delivery.",
	}
}

// Documents returns the documentation of the requests that the service sends to webhooks, by
// event.
func Documents(r huma.Registry) map[string]*huma.PathItem {
	all := map[string]*huma.PathItem{}
	for _, event := range append(webhook.Events(), webhook.EventPing) {
		schema := r.Schema(reflect.TypeFor[chargeEvent](), true, "")
		switch event {
		case webhook.EventPayoutSent:
			schema = r.Schema(reflect.TypeFor[payoutEvent](), true, "")
		case webhook.EventRefundCreated, webhook.EventRefundClaimed, webhook.EventRefundSent, webhook.EventRefundConfirmed:
			schema = r.Schema(reflect.TypeFor[refundEvent](), true, "")
		case webhook.EventPing:
			schema = r.Schema(reflect.TypeFor[pingEvent](), true, "")
		}
		all[event] = &huma.PathItem{Post: &huma.Operation{
			OperationID: "on" + eventName(event), Summary: event, Tags: []string{"Webhooks"},
			Description: emitted()[event] + " Signed with the webhook's secret: " + webhook.SignatureHeader + " is the lowercase hex " +
				"HMAC-SHA256 of the raw body. Answer 2xx within 10 seconds, 30 with use_tor. Redirects are not followed. Anything " +
				"else is tried again 5 seconds after the first attempt has failed, and 10 seconds after the second. Retries carry " +
				"the same timestamp. The same event may come twice: de-duplicate on `data.id` and `event`. Refuse a signature " +
				"that does not fit, and a timestamp older than 5 minutes.",
			Security: []map[string][]string{},
			Parameters: []*huma.Param{{
				Name: webhook.SignatureHeader, In: "header", Required: true, Description: "Signature, 64 hex digits",
				Schema: &huma.Schema{Type: huma.TypeString},
			}},
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{httpapi.JSON: {Schema: schema}}},
			Responses: map[string]*huma.Response{
				"200": {Description: "The event was received"},
				"400": {Description: "Not accepted; it is tried again"},
			},
		}}
	}
	return all
}
