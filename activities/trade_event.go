package activities

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/tradedetails"
	"github.com/durapay/durapay/internal/webhook"
)

// AttemptTradeEvent names one attempt to tell a partner of a status.
type AttemptTradeEvent struct {
	EventID int64
	// Attempt is the number that the attempt has in the event's log.
	Attempt int
	// Round counts from 1 since the event was first sent, or sent again.
	Round int
}

// EventAttempt is what an attempt came to: Pending means that another follows
// at Next.
type EventAttempt struct {
	Status webhook.Status
	Next   time.Time
}

// AttemptTradeEvent sends the stored bytes once and records the outcome. An
// attempt that is recorded already is not made again; one that was cut off
// before it was recorded is, so a partner may see the same event twice. Of two
// runs of one attempt the first outcome is kept, and success rather than
// failure.
func (a *Webhooks) AttemptTradeEvent(ctx context.Context, in AttemptTradeEvent) (EventAttempt, error) {
	e, err := a.Store.TradeEventForSending(ctx, in.EventID)
	if postgres.IsNotFound(err) {
		return EventAttempt{Status: webhook.Dropped}, nil
	}
	if err != nil {
		return EventAttempt{}, err
	}
	if e.Delivery != string(webhook.Pending) || int(e.Attempts) >= in.Attempt {
		return recordedAttempt(e), nil
	}
	key, err := a.Secret.Unseal(e.SecretSealed, secret.AD{Table: "swap_keys", Column: "secret", ID: e.KeyID})
	if err != nil {
		return EventAttempt{}, err
	}
	details, err := tradedetails.Open(a.Secret, e.TradeID, e.DetailsSealed)
	if err != nil {
		return EventAttempt{}, err
	}
	target := *details.WebhookURL
	release, ok := a.Slots.Take(e.KeyID, target, isOnion(target))
	if !ok {
		return EventAttempt{}, errBusy(ctx)
	}
	defer release()
	begun := a.Clock()
	status, sendErr := a.sendTradeEvent(ctx, e.Payload, target, string(key))
	record := db.RecordTradeEventAttemptParams{ID: e.ID, Attempts: int32(in.Attempt), BegunAt: &begun}
	if e.BegunAt != nil {
		begun = *e.BegunAt
	}
	judgeTradeEvent(&record, status, sendErr, in.Round, begun, a.Clock())
	recorded, err := a.Store.RecordTradeEventAttempt(ctx, record)
	if err != nil {
		return EventAttempt{}, err
	}
	if recorded == 0 { // another run was first: its outcome stands
		e, err = a.Store.TradeEventForSending(ctx, in.EventID)
		return recordedAttempt(e), err
	}
	if record.Delivery != string(webhook.Pending) {
		a.TradeFinished(webhook.Status(record.Delivery))
	}
	done := EventAttempt{Status: webhook.Status(record.Delivery)}
	if record.NextAttemptAt != nil {
		done.Next = *record.NextAttemptAt
	}
	return done, nil
}

func recordedAttempt(e db.TradeEventForSendingRow) EventAttempt {
	made := EventAttempt{Status: webhook.Status(e.Delivery)}
	if e.NextAttemptAt != nil {
		made.Next = *e.NextAttemptAt
	}
	return made
}

func (a *Webhooks) sendTradeEvent(ctx context.Context, payload, target, key string) (int, error) {
	body := []byte(payload)
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set(trade.EventHeader, trade.EventName)
	header.Set(trade.SignatureHeader, webhook.Sign(key, body))
	stop := heartbeat(ctx)
	defer stop()
	res, err := a.Sender.Post(ctx, outbound.Request{URL: target, Body: body, Header: header, UseTor: isOnion(target)})
	return res.Status, err
}

// isOnion says whether a receiver is reached through Tor.
func isOnion(target string) bool {
	u, err := url.Parse(target)
	return err == nil && strings.HasSuffix(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), ".onion")
}

// judgeTradeEvent decides what an attempt's outcome makes of the event.
func judgeTradeEvent(record *db.RecordTradeEventAttemptParams, status int, err error, round int, begun, at time.Time) {
	record.LastAttemptAt = &at
	if status != 0 {
		code := int32(status)
		record.HttpStatus = &code
	}
	text := "the receiver answered with a status other than 2xx"
	switch {
	case err == nil && status >= 200 && status < 300:
		record.Delivery, record.DeliveredAt = string(webhook.Delivered), &at
		return
	case err != nil:
		text = outbound.Describe(err)
	}
	record.Error = &text
	if errors.Is(err, outbound.ErrForbiddenTarget) {
		record.Delivery = string(webhook.Dropped)
		return
	}
	record.Delivery = string(webhook.Failed)
	if next, again := trade.NextAttempt(begun, at, round); again {
		record.Delivery, record.NextAttemptAt = string(webhook.Pending), &next
	}
}

// ReopenTradeEvent names an event that is to be sent again.
type ReopenTradeEvent struct {
	EventID int64
	Now     time.Time
	// Idle says that nobody attempts the event: one that is pending was left
	// behind, and is taken up. Left takes up such a one and no other.
	Idle, Left bool
}

// ReopenTradeEvent makes a finished event pending and returns how many
// attempts it has had. RefusedDelivery while it is being attempted, or when
// there is none to take up. Run again after a death it takes up what it wrote.
func (a *Webhooks) ReopenTradeEvent(ctx context.Context, in ReopenTradeEvent) (int, error) {
	n, err := a.Store.ReopenTradeEvent(ctx, db.ReopenTradeEventParams{
		ID: in.EventID, Now: &in.Now, Finished: !in.Left, Pending: in.Idle || in.Left,
	})
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, refuse(RefusedDelivery, "the event is still being attempted")
	}
	e, err := a.Store.TradeEventForSending(ctx, in.EventID)
	return int(e.Attempts), err
}
