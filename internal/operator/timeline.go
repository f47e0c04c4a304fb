package operator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// Step is something that happened to a charge, payout, refund or trade.
type Step struct {
	At     wire.Time `json:"at"`
	What   string    `json:"what" doc:"What happened" example:"charge.confirmed"`
	Detail string    `json:"detail" doc:"More about it; empty for nothing" example:"webhook delivered after 1 attempt"`
}

// timeline collects steps.
type timeline []Step

// add adds a step, unless its time is nil.
func (t *timeline) add(at *time.Time, what, detail string) {
	if at != nil {
		*t = append(*t, Step{wire.TimeOf(*at), what, detail})
	}
}

// sorted returns the steps, the oldest first; never nil.
func (t *timeline) sorted() []Step {
	steps := append([]Step{}, *t...)
	slices.SortStableFunc(steps, func(a, b Step) int { return time.Time(a.At).Compare(time.Time(b.At)) })
	return steps
}

// addEvents adds the events of a resource and the state of their deliveries.
func (d *Admin) addEvents(ctx context.Context, t *timeline, resourceID string) error {
	rows, err := d.Store.EventsOf(ctx, db.EventsOfParams{ResourceID: resourceID, MaxRows: MaxRows})
	for _, e := range rows {
		detail := "no webhook subscribes to it"
		if e.DeliveryID != "" {
			detail = fmt.Sprintf("webhook %s, %d attempts", e.Status, e.Attempts)
			if e.Error != nil {
				detail += ": " + *e.Error
			}
		}
		t.add(&e.CreatedAt, e.Type, detail)
	}
	return err
}

// addPayout adds the steps of a payout.
func addPayout(t *timeline, p db.Payout) {
	hash := cmp.Or(textOf(p.TxHash), "no transaction")
	t.add(&p.CreatedAt, "payout reserved", p.ID+" of "+p.Gross.String()+" XMR")
	t.add(p.BuiltAt, "payout built", hash)
	t.add(p.SentAt, "payout relayed", hash)
	t.add(p.ConfirmedAt, "payout confirmed", hash)
}

// addClaim adds the steps of a refund's claim.
func addClaim(t *timeline, k db.RefundClaim) {
	t.add(&k.CreatedAt, "refund claimed", k.ID+" of "+k.Amount.String()+" XMR")
	t.add(k.ApprovedAt, "claim approved", k.ID)
	t.add(k.SentAt, "claim paid", k.ID)
	t.add(k.ConfirmedAt, "claim confirmed", k.ID)
}

// textOf returns a text, or "" for nil.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// alertsAbout returns the open alerts of some kinds about a subject.
func (d *Admin) alertsAbout(ctx context.Context, subject string, kinds ...string) ([]Alert, error) {
	rows, err := d.Store.OpenAlertsAbout(ctx, db.OpenAlertsAboutParams{Kinds: kinds, Subject: subject})
	return each(rows, alertOf), err
}
