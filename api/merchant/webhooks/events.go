package webhooks

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
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
	Event     string                 `json:"event" doc:"Name of the event" example:"payout.sent"`
	Data      chargestore.PayoutSent `json:"data"`
	Timestamp wire.Time              `json:"timestamp" doc:"Emission; retries carry the same"`
}

// refundEvent documents the body of refund events.
type refundEvent struct {
	Event     string                 `json:"event" doc:"Name of the event" example:"refund.sent"`
	Data      chargestore.RefundData `json:"data"`
	Timestamp wire.Time              `json:"timestamp" doc:"Emission; retries carry the same"`
}

// pingEvent documents the body of ping.
type pingEvent struct {
	Event     string             `json:"event" doc:"Name of the event" example:"ping"`
	Data      chargestore.Pinged `json:"data"`
	Timestamp wire.Time          `json:"timestamp" doc:"Emission; retries carry the same"`
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

// Documents returns the documentation of the requests that the service sends to webhooks, by
// event.
func Documents(r huma.Registry, texts *operation.Surface) map[string]*huma.PathItem {
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
		all[event] = operation.Event(huma.Operation{
			OperationID: "on" + eventName(event), Summary: event, Tags: []string{"Webhooks"},
			Description: texts.Events[event] + " " + strings.Join(texts.EveryEvent, " "),
		}, schema, map[string]string{webhook.SignatureHeader: "Signature, 64 hex digits"})
	}
	return all
}
