package main

import (
	"bytes"
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// written is a delivery that the service has written down.
type written struct{ id, event, of string }

// The content of a delivery, as its receiver reads it.
type heard struct {
	// says is the event and its resource.
	says string
	body []byte
}

// dialect is a shape of deliveries.
type dialect struct {
	name, counts string
	// read verifies a request, and returns the name by which it is known.
	read func(fixture.Request) (name string, h heard, err error)
	// known is the name by which a delivery must have arrived.
	known func(written) string
}

// merchants are deliveries in the service's own shape: known by event and resource.
func merchants(secret string) dialect {
	return dialect{
		name: "its own shape", counts: eventsDelivered,
		read: func(q fixture.Request) (string, heard, error) {
			says := q.Event.Name + " " + q.Event.ID
			return says, heard{says, q.Body}, fixture.Check(q.Signed(secret), "%s is not signed by the service", says)
		},
		known: func(d written) string { return d.event + " " + d.of },
	}
}

// plugins are deliveries in BTCPay's shape: known by their ID.
func plugins(secret string) dialect {
	return dialect{
		name: "BTCPay's shape", counts: invoicesTold,
		read: func(q fixture.Request) (string, heard, error) {
			got, err := q.Invoice(secret)
			return got.DeliveryID, heard{got.Type + " " + got.InvoiceID, q.Body}, err
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
func (c *counter) arrived(path string, in dialect) map[string]heard {
	all := map[string]heard{}
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
