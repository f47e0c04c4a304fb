package chargestore

import (
	"context"
	"strconv"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/wire"
)

// Event is a change that merchants are notified of.
type Event struct {
	MerchantID string
	Mode       config.Mode
	Type       string
	ResourceID string
	// Part distinguishes events of the same type and resource. Mostly there is one
	// event, and Part is empty.
	Part string
	Data any
	// Invoice is set for a charge of the Greenfield surface, whose metadata may name
	// the buyer.
	Invoice bool
	At      time.Time
}

// Record writes the event and one delivery for each webhook that subscribes to
// it, in the caller's transaction, and returns the deliveries. It fails when the
// resource has an event of this type and part.
func Record(ctx context.Context, q *db.Queries, e Event) ([]string, error) {
	body, err := webhook.Body(e.Type, e.Data, e.At)
	if err != nil {
		return nil, err
	}
	return q.RecordEvent(ctx, db.RecordEventParams{
		MerchantID: e.MerchantID, Mode: string(e.Mode), Type: e.Type, ResourceID: e.ResourceID, Part: e.Part,
		Payload: string(body), Invoice: e.Invoice, CreatedAt: e.At,
	})
}

// announce records an event that no run of a charge delivers, as Record does. The outbox starts its
// deliveries: a run that dies on the way, or is ended, leaves none behind.
func announce(ctx context.Context, q *db.Queries, e Event) error {
	ids, err := Record(ctx, q, e)
	if err != nil || len(ids) == 0 {
		return err
	}
	return q.WakeDeliveries(ctx, db.WakeDeliveriesParams{Ids: ids, Owner: e.MerchantID})
}

// PayoutSent is the data of the event payout.sent.
type PayoutSent struct {
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

// RecordPayoutSent records that a payout, which is built, was sent at a moment, and
// that the merchant may want to be mailed.
func RecordPayoutSent(ctx context.Context, q *db.Queries, p db.Payout, at time.Time) error {
	err := notice.PutBusiness(ctx, q, notice.BusinessNotice{
		MerchantID: p.MerchantID, Kind: notice.PayoutSent, ResourceID: p.ID, Amount: &p.Amount, At: at,
	})
	if err != nil {
		return err
	}
	return announce(ctx, q, Event{
		MerchantID: p.MerchantID, Mode: config.Live, Type: webhook.EventPayoutSent, ResourceID: p.ID, At: at,
		Data: PayoutSent{
			ID: p.ID, PayoutID: p.ID, AmountXMR: p.Amount, FeeXMR: p.Fee, NetworkFeeXMR: p.NetworkFee,
			TxHash: *p.TxHash, ChargeCount: p.ChargesPaid, SwapID: p.SwapID, SentAt: wire.TimeOf(at),
		},
	})
}

// RefundData is the data of the events of refunds.
type RefundData struct {
	ID       string `json:"id" doc:"The claim, or refund_id for refund.created" example:"rc_0123456789abcdef01234567"`
	RefundID string `json:"refund_id" example:"rf_0123456789abcdef01234567"`
	// Refund is as it stood then.
	Refund refund.Refunded `json:"refund"`
	// Claim is the claim that the event is about; nil for refund.created.
	Claim *refund.ClaimState `json:"claim"`
}

// Ping is a test event for one webhook.
type Ping struct {
	DeliveryID string
	WebhookID  string
	MerchantID string
	At         time.Time
}

// Pinged is the data of the event ping. Its ID is the delivery's, so that every test is an
// event of its own to a receiver that drops duplicates.
type Pinged struct {
	ID        string `json:"id" doc:"The delivery" example:"whd_0123456789abcdef01234567"`
	WebhookID string `json:"webhook_id" example:"wh_0123456789abcdef01234567"`
}

// RecordPing writes a test event with its delivery, and the wakeup of the delivery's
// workflow. It returns refusals.Webhook if the merchant has no such webhook any more.
func RecordPing(ctx context.Context, q *db.Queries, p Ping) error {
	body, err := webhook.Body(webhook.EventPing, Pinged{p.DeliveryID, p.WebhookID}, p.At)
	if err != nil {
		return err
	}
	n, err := q.InsertPing(ctx, db.InsertPingParams{
		DeliveryID: p.DeliveryID, WebhookID: p.WebhookID, MerchantID: p.MerchantID, Type: webhook.EventPing, Payload: string(body), CreatedAt: p.At,
	})
	if err != nil {
		return err
	}
	if n == 0 {
		return refusals.New(refusals.Webhook, "webhook not found")
	}
	return q.WakeDeliveries(ctx, db.WakeDeliveriesParams{Ids: []string{p.DeliveryID}, Owner: p.MerchantID})
}

// Redeliver opens a delivery that has ended for a new round of attempts. It writes the
// wakeup of the delivery's workflow. It returns refusals.Delivery if the delivery is pending.
func Redeliver(ctx context.Context, q *db.Queries, merchantID, id string, at time.Time) error {
	n, err := q.ReopenDelivery(ctx, db.ReopenDeliveryParams{ID: id, Now: at})
	if err != nil {
		return err
	}
	if n == 0 {
		return refusals.New(refusals.Delivery, "the delivery is still pending")
	}
	return q.WakeDeliveries(ctx, db.WakeDeliveriesParams{Ids: []string{id}, Owner: merchantID})
}

// RetryNow makes the deliveries of a resource due that failed and wait for their next
// attempt, and returns them. It writes the wakeups of their workflows.
func RetryNow(ctx context.Context, q *db.Queries, merchantID, resourceID string, at time.Time) ([]string, error) {
	due, err := q.RetryDeliveries(ctx, db.RetryDeliveriesParams{ResourceID: resourceID, Now: at})
	if err != nil {
		return nil, err
	}
	return due, q.WakeDeliveries(ctx, db.WakeDeliveriesParams{Ids: due, Owner: merchantID})
}

// RedeliverTradeEvent is Redeliver for the delivery of an event of a trade to the
// exchange's partner.
func RedeliverTradeEvent(ctx context.Context, q *db.Queries, number int64, at time.Time) error {
	n, err := q.ReopenTradeEvent(ctx, db.ReopenTradeEventParams{ID: number, Now: at})
	if err != nil {
		return err
	}
	if n == 0 {
		return refusals.New(refusals.Delivery, "there is no such event, or it is still being delivered")
	}
	return q.WakeTradeEvent(ctx, strconv.FormatInt(number, 10))
}
