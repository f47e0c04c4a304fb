package deliveries

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// Handler has the activities of the delivery workflow.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	Sender interface {
		Post(ctx context.Context, req outbound.Request) (outbound.Response, error)
	}
	// Slots bounds the running attempts; nil means no bound.
	Slots *Slots
	// Finished receives the outcome of each finished delivery to a merchant.
	Finished func(outcome webhook.Status)
	// TradeFinished receives the outcome of each finished event of a trade.
	TradeFinished func(outcome webhook.Status)
	// Reported receives, for each event that reached its merchant, the time since the
	// charge's payment was first seen.
	Reported func(event string, sinceSeen time.Duration)
	Clock    func() time.Time
}

// delivery is what differs between the receivers: the row that is read, the request that
// is sent, and how the outcome is recorded and counted.
type delivery interface {
	standing() standing
	// request returns the signed request of an attempt at this time.
	request(at time.Time) (outbound.Request, error)
	// record records an outcome and reports whether it did: another run of the same attempt
	// may have been first.
	record(ctx context.Context, o outcome) (bool, error)
	// count reports an outcome that ended the delivery to the metrics.
	count(o outcome)
}

// standing is the state of a delivery.
type standing struct {
	status   webhook.Status
	attempts int
	// roundFrom is how many of the attempts preceded the last redelivery.
	roundFrom int
	// next is when the next attempt is due; nil if none is, or if the first one is due now.
	next *time.Time
	// held is set while the delivery waits for another one.
	held bool
	// begun is when the first attempt of this round began; nil before that, and if the
	// policy does not need it.
	begun *time.Time
	// policy defines when a failed attempt is repeated.
	policy webhook.Policy
	// owner is the account whose deliveries share slots.
	owner string
	// gone is why nothing is sent any more; empty otherwise.
	gone string
}

// outcome is the outcome of an attempt, as it is recorded.
type outcome struct {
	status webhook.Status
	// attempt is the number of the attempt, attempts how many are counted.
	attempt, attempts int
	httpStatus        *int32
	err               *string
	// begun and ended are the attempt's own times; ended is nil when none was made.
	begun       time.Time
	ended       *time.Time
	next        *time.Time
	deliveredAt *time.Time
	// headers are the request's, a line for each. answer is the beginning of the answer's body.
	headers, answer string
}

// find reads the delivery of a receiver. It returns postgres.ErrNotFound if the delivery
// is gone.
func (a *Handler) find(ctx context.Context, to webhook.Receiver, id string) (delivery, error) {
	switch to {
	case webhook.Merchant:
		row, err := a.Store.GetDeliveryForSending(ctx, id)
		return merchantDelivery{a, row}, err
	case webhook.Partner:
		number, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("number of an event: %w", err)
		}
		row, err := a.Store.TradeEventForSending(ctx, number)
		return partnerDelivery{a, row}, err
	}
	return nil, fmt.Errorf("deliveries go to no %q", to)
}

// AttemptDelivery names one attempt.
type AttemptDelivery struct {
	Receiver webhook.Receiver
	ID       string
	// Attempt is the number that the attempt has in the delivery's log, from 1.
	Attempt int
}

// Attempt is the outcome of an attempt: Pending means that another attempt follows at
// Next.
type Attempt struct {
	Status webhook.Status
	Next   time.Time
}

// AttemptDelivery sends the stored bytes once and records the outcome. A recorded attempt
// is not repeated. An attempt that was interrupted before it was recorded is repeated, so
// a receiver may see the same event twice. If two runs make the same attempt, the first
// outcome is kept, but a success replaces a failure: a run that Temporal gave up takes
// nothing back.
func (a *Handler) AttemptDelivery(ctx context.Context, in AttemptDelivery) (Attempt, error) {
	d, err := a.find(ctx, in.Receiver, in.ID)
	if postgres.IsNotFound(err) {
		return Attempt{Status: webhook.Dropped}, nil
	}
	if err != nil {
		return Attempt{}, err
	}
	now := d.standing()
	if now.status != webhook.Pending || now.attempts >= in.Attempt {
		return recordedAttempt(now), nil
	}
	if now.gone != "" {
		_, err := d.record(ctx, outcome{status: webhook.Dropped, attempt: in.Attempt, attempts: now.attempts, err: &now.gone})
		return Attempt{Status: webhook.Dropped}, err
	}
	o, err := a.attempt(ctx, d, in)
	if err != nil {
		return Attempt{}, err
	}
	recorded, err := d.record(ctx, o)
	if err != nil {
		return Attempt{}, err
	}
	if !recorded { // another run was first: its outcome stands
		if d, err = a.find(ctx, in.Receiver, in.ID); err != nil {
			return Attempt{}, err
		}
		return recordedAttempt(d.standing()), nil
	}
	if o.status != webhook.Pending {
		d.count(o)
	}
	return recordedAttempt(standing{status: o.status, next: o.next}), nil
}

func recordedAttempt(now standing) Attempt {
	made := Attempt{Status: now.status}
	if now.next != nil {
		made.Next = *now.next
	}
	return made
}

// attempt sends the request, if the receiver has a free slot, and judges the answer.
func (a *Handler) attempt(ctx context.Context, d delivery, in AttemptDelivery) (outcome, error) {
	req, err := d.request(a.Clock())
	if err != nil {
		return outcome{}, err
	}
	now := d.standing()
	release, ok := a.Slots.Take(now.owner, req.URL, req.UseTor)
	if !ok {
		return outcome{}, errBusy(ctx)
	}
	defer release()
	o := outcome{attempt: in.Attempt, attempts: in.Attempt, begun: a.Clock()}
	res, sendErr := a.Sender.Post(ctx, req)
	o.headers, o.answer = headerLines(req.Header), strings.ReplaceAll(strings.ToValidUTF8(string(res.Answer), "�"), "\x00", "�")
	begun := o.begun
	if now.begun != nil {
		begun = *now.begun
	}
	ended := a.Clock()
	next, again := now.policy.Next(begun, ended, in.Attempt-now.roundFrom)
	o.judge(res.Status, sendErr, ended)
	if o.status == webhook.Failed && again {
		o.status, o.next = webhook.Pending, &next
	}
	return o, nil
}

// headerLines returns headers as text, a line for each, by name.
func headerLines(header http.Header) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			lines = append(lines, name+": "+value)
		}
	}
	return strings.Join(lines, "\n")
}

func addStandard(header http.Header, key, id string, at time.Time, body []byte) {
	for name, value := range webhook.StandardSignature(key, id, at, body) {
		header.Set(name, value)
	}
}

// judge sets the state of the delivery after this answer, for the case that no other
// attempt follows.
func (o *outcome) judge(status int, err error, at time.Time) {
	o.ended = &at
	if status != 0 {
		code := int32(status)
		o.httpStatus = &code
	}
	text := "the receiver answered with a status other than 2xx"
	switch {
	case err == nil && status >= 200 && status < 300:
		o.status, o.deliveredAt = webhook.Delivered, &at
		return
	case errors.Is(err, outbound.ErrForbiddenTarget):
		o.status = webhook.Dropped
	default:
		o.status = webhook.Failed
	}
	if err != nil {
		text = outbound.Describe(err)
	}
	o.err = &text
}

// FindDelivery names a delivery.
type FindDelivery struct {
	Receiver webhook.Receiver
	ID       string
}

// State is the state that the workflow of a delivery needs to continue.
type State struct {
	// Pending is set if an attempt is due at Next; a time that has passed means now. It is
	// not set for a delivery that waits for another one.
	Pending bool
	Next    time.Time
	// Attempts is how many attempts there were.
	Attempts int
}

// FindDelivery reads a delivery. A deleted delivery is not pending.
func (a *Handler) FindDelivery(ctx context.Context, in FindDelivery) (State, error) {
	d, err := a.find(ctx, in.Receiver, in.ID)
	if postgres.IsNotFound(err) {
		return State{}, nil
	}
	if err != nil {
		return State{}, err
	}
	now := d.standing()
	state := State{Pending: now.status == webhook.Pending && !now.held, Attempts: now.attempts}
	if now.next != nil {
		state.Next = *now.next
	}
	return state, nil
}
