package activities

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// Webhooks are the activities of the webhook workflow.
type Webhooks struct {
	Store  *postgres.Store
	Secret *secret.Box
	Sender interface {
		Post(ctx context.Context, req outbound.Request) (outbound.Response, error)
	}
	// Slots share the attempts under way; nil lets everybody have as many as come.
	Slots *Slots
	// Finished is told the outcome of each finished delivery.
	Finished func(outcome webhook.Status)
	// TradeFinished is told the outcome of each finished event of a trade.
	TradeFinished func(outcome webhook.Status)
	// Reported is told, for each event that reached its receiver, how long
	// after the first sight of the charge's payment that was.
	Reported func(event string, sinceSeen time.Duration)
	Clock    func() time.Time
}

// AttemptDelivery names one attempt.
type AttemptDelivery struct {
	DeliveryID string
	// Attempt is the number that the attempt has in the delivery's log.
	Attempt int
	// Round counts from 1 within this run of three attempts.
	Round int
}

// Attempt is what an attempt came to: Pending means that another follows.
type Attempt struct {
	Status webhook.Status
}

// AttemptDelivery sends the stored bytes once and records the outcome. An
// attempt that is recorded already is not made again; one that was cut off
// before it was recorded is, so a receiver may see the same event twice. Of two
// runs of one attempt the first outcome is kept, and success rather than
// failure: a run that Temporal gave up takes nothing back.
func (a *Webhooks) AttemptDelivery(ctx context.Context, in AttemptDelivery) (Attempt, error) {
	d, err := a.Store.GetDeliveryForSending(ctx, in.DeliveryID)
	if postgres.IsNotFound(err) {
		return Attempt{Status: webhook.Dropped}, nil
	}
	if err != nil {
		return Attempt{}, err
	}
	if d.Status != string(webhook.Pending) || int(d.Attempts) >= in.Attempt {
		return Attempt{Status: webhook.Status(d.Status)}, nil
	}
	record := db.RecordAttemptParams{ID: d.ID, Status: string(webhook.Dropped), Attempt: int32(in.Attempt), Attempts: int32(in.Attempt)}
	if d.WebhookDeleted {
		reason := "the webhook was deleted"
		record.Error, record.Attempts = &reason, d.Attempts
		_, err := a.Store.RecordAttempt(ctx, record)
		return Attempt{Status: webhook.Dropped}, err
	}
	key, err := a.Secret.Unseal(d.SecretSealed, secret.AD{Table: "webhooks", Column: "secret", ID: d.WebhookID})
	if err != nil {
		return Attempt{}, err
	}
	release, ok := a.Slots.Take(d.MerchantID, d.Url, d.UseTor)
	if !ok {
		return Attempt{}, errBusy(ctx)
	}
	defer release()
	status, sendErr := a.send(ctx, d, string(key))
	judge(&record, status, sendErr, in.Round, a.Clock())
	recorded, err := a.Store.RecordAttempt(ctx, record)
	if err != nil {
		return Attempt{}, err
	}
	if recorded == 0 { // another run was first: its outcome stands
		d, err = a.Store.GetDeliveryForSending(ctx, in.DeliveryID)
		return Attempt{Status: webhook.Status(d.Status)}, err
	}
	a.finished(d, record)
	return Attempt{Status: webhook.Status(record.Status)}, nil
}

func (a *Webhooks) send(ctx context.Context, d db.GetDeliveryForSendingRow, key string) (int, error) {
	body := []byte(d.Payload)
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set(webhook.SignatureHeader, webhook.Sign(key, body))
	stop := heartbeat(ctx)
	defer stop()
	res, err := a.Sender.Post(ctx, outbound.Request{URL: d.Url, Body: body, Header: header, UseTor: d.UseTor})
	return res.Status, err
}

// judge decides what an attempt's outcome makes of the delivery.
func judge(record *db.RecordAttemptParams, status int, err error, round int, at time.Time) {
	record.LastAttemptAt = &at
	if status != 0 {
		code := int32(status)
		record.HttpStatus = &code
	}
	switch {
	case err == nil && status >= 200 && status < 300:
		record.Status, record.DeliveredAt = string(webhook.Delivered), &at
		return
	case errors.Is(err, outbound.ErrForbiddenTarget):
		record.Status = string(webhook.Dropped)
	default:
		record.Status = string(webhook.Failed)
		if pause, again := webhook.RetryAfter(round); again {
			next := at.Add(pause)
			record.Status, record.NextAttemptAt = string(webhook.Pending), &next
		}
	}
	text := "the receiver answered with a status other than 2xx"
	if err != nil {
		text = outbound.Describe(err)
	}
	record.Error = &text
}

func (a *Webhooks) finished(d db.GetDeliveryForSendingRow, record db.RecordAttemptParams) {
	if record.Status == string(webhook.Pending) {
		return
	}
	a.Finished(webhook.Status(record.Status))
	if record.DeliveredAt != nil && d.SeenAt != nil {
		a.Reported(d.Type, record.DeliveredAt.Sub(*d.SeenAt))
	}
}

// ReopenDelivery names a delivery that is to be sent again.
type ReopenDelivery struct {
	DeliveryID string
	Now        time.Time
	// Idle says that nobody attempts the delivery: one that is pending was left
	// behind, and is taken up. Left takes up such a one and no other.
	Idle, Left bool
}

// ReopenDelivery makes a finished delivery pending and returns how many
// attempts it has had. RefusedDelivery when it is being attempted, or when
// there is none to take up. A run that died after the write has left the
// delivery pending: the next one, which knows that nobody attempts it, takes it
// up.
func (a *Webhooks) ReopenDelivery(ctx context.Context, in ReopenDelivery) (int, error) {
	n, err := a.Store.ReopenDelivery(ctx, db.ReopenDeliveryParams{
		ID: in.DeliveryID, Now: &in.Now, Finished: !in.Left, Pending: in.Idle || in.Left,
	})
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, refuse(RefusedDelivery, "the delivery is still being attempted")
	}
	d, err := a.Store.GetDeliveryForSending(ctx, in.DeliveryID)
	return int(d.Attempts), err
}
