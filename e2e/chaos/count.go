package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

// buried is how many blocks are made between two counts: a payment is confirmed after two.
const buried = 3

// settle lets the chains grow until there are no more faults, or the time is over.
// The faults that it then returns are permanent.
func (w *testbed) settle(ctx context.Context, maxWait time.Duration, t *tally) []fixture.Fault {
	for deadline := time.Now().Add(maxWait); ; {
		for range buried {
			if err := w.mineBoth(ctx); err != nil {
				fixture.Reportf("mining: %v", err)
			}
		}
		w.supervise(ctx, t)
		var faults []fixture.Fault
		err := fixture.Try(func() { faults = w.count(ctx, t) })
		if err == nil && len(faults) == 0 || time.Now().After(deadline) {
			fixture.Do(err)
			return faults
		}
		if err != nil {
			fixture.Reportf("counting: %v", err)
		} else {
			fixture.Reportf("%d things do not agree yet, as %s", len(faults), faults[0])
		}
		fixture.Do(fixture.Pause(ctx, blockPause))
	}
}

func (w *testbed) count(ctx context.Context, t *tally) []fixture.Fault {
	c := &counter{
		testbed: w, xmr: w.xmr.arrived(ctx), ltc: w.ltc.arrived(ctx), paid: fixture.Must(w.Arrivals(ctx)),
		addresses: owners{}, made: map[string]int{},
	}
	for _, s := range w.shops {
		c.shop(ctx, s)
	}
	c.trades(ctx, w.trader)
	c.rows(ctx)
	for _, what := range doings() {
		t.did(what, c.made[what])
	}
	return c.faults
}

// owners are whom an address was given to.
type owners map[string]string

type counter struct {
	testbed *testbed
	// xmr and ltc are what the services got, by address.
	xmr map[string]arrived[money.Piconero]
	ltc map[string]arrived[utxo.Amount]
	// paid is what the services' customers got.
	paid      fixture.Arrivals
	addresses owners
	made      map[string]int
	faults    []fixture.Fault
}

func (c *counter) addf(kind fixture.FaultKind, subject, format string, args ...any) {
	c.faults = append(c.faults, fixture.Fault{Kind: kind, Subject: subject, What: fmt.Sprintf(format, args...)})
}

func (c *counter) give(address, owner string) {
	if other, taken := c.addresses[address]; taken && other != owner {
		c.addf(fixture.AddressTwice, owner, "%s is that of %s", address, other)
	}
	c.addresses[address] = owner
}

// stranded finds the rows that are not final, wait for nothing and have no time at which
// something happens to them; or that time is over for a minute.
const stranded = `
SELECT 'charge' AS what, id, status || ' after its end' AS why FROM charges WHERE status = 'pending' AND expires_at < $1
UNION ALL
SELECT 'wakeup', id, 'Temporal does not have it' FROM wakeups WHERE since < $1
UNION ALL
SELECT 'delivery', id, 'it is due' FROM deliveries WHERE status = 'pending' AND COALESCE(next_attempt_at, '-infinity') < $1
UNION ALL
SELECT 'event of a trade', id::text, 'it is due' FROM trade_events WHERE delivery = 'pending' AND COALESCE(next_attempt_at, '-infinity') < $1
UNION ALL
SELECT 'payout', p.id, status FROM payouts p WHERE status = 'building' AND created_at < $1
UNION ALL
SELECT 'claim', id, 'it waits for nothing' FROM refund_claims WHERE status = 'awaiting_payment' AND waits_for IS NULL AND next_at < $1
UNION ALL
SELECT 'claim', id, 'no payout pays it' FROM refund_claims k WHERE status = 'in_progress'
	AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.claim_id = k.id AND p.status <> 'failed')
UNION ALL
SELECT 'trade', id, status || ' after its end' FROM trades WHERE status = 'awaiting_deposit' AND expires_at < $1
UNION ALL
SELECT 'payment of a trade', id::text, 'no transaction makes it' FROM trade_payments WHERE transaction_id IS NULL AND reason IS NULL AND created_at < $1
UNION ALL
SELECT 'transaction', id::text, state FROM outgoing_transactions WHERE state IN ('building', 'built') AND created_at < $1`

// rows counts what nothing moves any more.
func (c *counter) rows(ctx context.Context) {
	conn := fixture.Must(c.testbed.database(ctx))
	defer func() { _ = conn.Close(ctx) }()
	var minuteAgo any
	fixture.Do(conn.QueryRow(ctx, "SELECT now() - interval '1 minute'").Scan(&minuteAgo))
	found := fixture.Must(conn.Query(ctx, stranded, minuteAgo))
	var what, id, why string
	fixture.Must(pgx.ForEachRow(found, []any{&what, &id, &why}, func() error {
		c.addf(fixture.RowStranded, id, "%s: %s", what, why)
		return nil
	}))
}

// deliveredWithin is the longest time from the return of the last part until every receiver has
// the events that were due.
const deliveredWithin = time.Minute

// lasting returns the permanent faults, and how long the delivery of the due events took
// after the last part had returned.
func (w *testbed) lasting(ctx context.Context, returned time.Time) (faults []fixture.Fault, took time.Duration) {
	faults, took = w.failed(ctx), w.deliveryTook(ctx, returned)
	if took > deliveredWithin {
		faults = append(faults, fixture.Fault{
			Kind: fixture.DeliveredLate, Subject: "the last part's return", What: fmt.Sprintf("all news was told %s later", took.Round(time.Second)),
		})
	}
	return faults, took
}

// longestDelivery is the longest time in seconds that the delivery of an event after $1 took.
// Events of charges count from then, because the chain shows nothing new of charges. Other
// events count from when they happened, if that is later: they wait for blocks. An event
// that its receiver refused comes when its next attempt is due, so it is left out.
const longestDelivery = `
SELECT COALESCE(max(EXTRACT(epoch FROM delivered_at - since)), 0)::float8 FROM (
	SELECT d.delivered_at, CASE WHEN e.resource_id LIKE 'ch_%' THEN $1::timestamptz ELSE GREATEST($1, e.created_at) END AS since
	FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.delivered_at > $1 AND d.attempts = 1
	UNION ALL
	SELECT delivered_at, GREATEST($1, occurred_at) FROM trade_events WHERE delivered_at > $1 AND attempts = 1) told`

// deliveryTook returns how long the delivery of the due events took after the last part had returned.
func (w *testbed) deliveryTook(ctx context.Context, returned time.Time) time.Duration {
	conn := fixture.Must(w.database(ctx))
	defer func() { _ = conn.Close(ctx) }()
	var seconds float64
	fixture.Do(conn.QueryRow(ctx, longestDelivery, returned).Scan(&seconds))
	return time.Duration(seconds * float64(time.Second))
}

// written is a delivery that the service has written down.
type written struct{ id, event, of string }

// received is the content of a delivery, as its receiver reads it.
type received struct {
	// says is the event and its resource.
	says string
	body []byte
}

// dialect is a shape of deliveries.
type dialect struct {
	name, counts string
	// read verifies a request, and returns the name by which it is known.
	read func(fixture.Request) (name string, h received, err error)
	// known is the name by which a delivery must have arrived.
	known func(written) string
}

// merchants are deliveries in the service's own shape: known by event and resource.
func merchants(secret string) dialect {
	return dialect{
		name: "its own shape", counts: eventsDelivered,
		read: func(q fixture.Request) (string, received, error) {
			says := q.Event.Name + " " + q.Event.ID
			return says, received{says, q.Body}, fixture.Check(q.Signed(secret), "%s is not signed by the service", says)
		},
		known: func(d written) string { return d.event + " " + d.of },
	}
}

// plugins are deliveries in BTCPay's shape: known by their ID.
func plugins(secret string) dialect {
	return dialect{
		name: "BTCPay's shape", counts: invoiceEvents,
		read: func(q fixture.Request) (string, received, error) {
			got, err := q.Invoice(secret)
			return got.DeliveryID, received{got.Type + " " + got.InvoiceID, q.Body}, err
		},
		known: func(d written) string { return d.id },
	}
}

// delivered returns the names of a webhook's events by resource, as the database has
// them. An event that has not arrived at the webhook's path is a fault.
func (c *counter) delivered(ctx context.Context, hook clients.Webhook, path string, in dialect) map[string][]string {
	list := c.written(ctx, hook)
	arrived := c.arrived(path, in)
	events := map[string][]string{}
	for _, d := range list {
		events[d.of] = append(events[d.of], d.event)
		c.made[in.counts]++
		if arrived[in.known(d)].says != d.event+" "+d.of {
			c.addf(fixture.EventMissing, d.of, "%s did not arrive in %s", d.event, in.name)
		}
	}
	return events
}

// arrived are the deliveries that a path took, by name. One may come more than once, and
// is then the same to the last byte.
func (c *counter) arrived(path string, in dialect) map[string]received {
	all := map[string]received{}
	for _, q := range c.testbed.Hooks.Requests() {
		if !fixture.ArrivedAt(path)(q) || !q.Taken() {
			continue
		}
		name, got := fixture.Must2(in.read(q))
		if before, again := all[name]; again && !bytes.Equal(before.body, got.body) {
			c.addf(fixture.EventTwice, got.says, "it arrived with two bodies")
		}
		all[name] = got
	}
	return all
}

func (c *counter) written(ctx context.Context, hook clients.Webhook) []written {
	conn := fixture.Must(c.testbed.database(ctx))
	defer func() { _ = conn.Close(ctx) }()
	rows := fixture.Must(conn.Query(ctx, `SELECT d.id, e.type, e.resource_id FROM deliveries d JOIN events e ON e.id = d.event_id
		WHERE d.webhook_id = $1`, hook.ID))
	return fixture.Must(pgx.CollectRows(rows, func(row pgx.CollectableRow) (d written, err error) {
		return d, row.Scan(&d.id, &d.event, &d.of)
	}))
}
