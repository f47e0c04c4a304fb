package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/e2e/books"
	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/receiver"
	"github.com/durapay/durapay/internal/money"
)

// shop compares what a merchant was promised with what is there.
func (c *counter) shop(ctx context.Context, s *shop) error {
	events, err := c.emitted(ctx, s)
	if err != nil {
		return err
	}
	invoices, err := c.told(ctx, s)
	if err != nil {
		return err
	}
	swept := map[string]money.Piconero{}
	c.made[chargesMade] += len(s.promised)
	for _, promised := range s.promised {
		now, err := s.Charge(ctx, promised.ID)
		if merchant.Status(err) == http.StatusNotFound {
			c.addf(books.Missing, promised.ID, "%v", err)
			continue
		}
		if err != nil {
			return err
		}
		c.charge(promised, now, events[now.ID], invoices[now.ID])
		if now.PayoutID != nil {
			swept[*now.PayoutID] += now.AmountReceivedXMR
		}
	}
	return c.payouts(ctx, s, events, swept)
}

func (c *counter) charge(promised, now merchant.Charge, events, invoice []string) {
	if now.Subaddress != promised.Subaddress || now.AmountXMR != promised.AmountXMR {
		c.addf(books.Missing, now.ID, "it is another one now: %+v", now)
	}
	c.give(now.Subaddress, now.ID)
	sent := c.xmr[now.Subaddress].amount
	if sent >= now.AmountXMR {
		c.made[chargesPaid]++
		if now.Status != "confirmed" {
			c.addf(books.NotConfirmed, now.ID, "%s, with %s XMR of %s XMR", now.Status, now.AmountReceivedXMR, sent)
			return
		}
	}
	c.faults = append(c.faults, books.Charge(now, events, sent)...)
	c.faults = append(c.faults, books.Invoice(now, invoice)...)
}

// payouts compares the payouts with their charges, their events, and with what
// arrived at the merchant's wallet.
func (c *counter) payouts(ctx context.Context, s *shop, events map[string][]string, swept map[string]money.Piconero) error {
	payouts, err := s.Payouts(ctx)
	if err != nil {
		return err
	}
	for _, p := range payouts {
		c.faults = append(c.faults, books.Payout(p, events[p.PayoutID], false)...)
		if p.Status != "broadcast" && p.Status != "confirmed" {
			continue
		}
		c.made[sweepsMade]++
		if gross := p.AmountXMR + p.FeeXMR + p.NetworkFeeXMR; gross != swept[p.PayoutID] {
			c.addf(books.PaidOut, p.PayoutID, "%s XMR of charges of %s XMR", gross, swept[p.PayoutID])
		}
	}
	c.faults = append(c.faults, books.PaidOutTo(payouts, c.paidXMR.Of(s.wallet))...)
	return nil
}

// emitted are the names of a shop's events by resource, as they are written
// down. Those that have not arrived, or arrived with other bytes, are faults.
func (c *counter) emitted(ctx context.Context, s *shop) (map[string][]string, error) {
	written, err := c.written(ctx, s.webhook)
	if err != nil {
		return nil, err
	}
	received, err := c.received(s)
	if err != nil {
		return nil, err
	}
	events := map[string][]string{}
	for _, d := range written {
		events[d.of] = append(events[d.of], d.event)
		c.made[eventsDelivered]++
		if received[d.event+" "+d.of] == nil {
			c.addf(books.EventMissing, d.of, "%s did not arrive", d.event)
		}
	}
	return events, nil
}

// written is a delivery that the service has written down.
type written struct{ id, event, of string }

func (c *counter) written(ctx context.Context, hook merchant.Webhook) ([]written, error) {
	conn, err := c.fixture.database(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT d.id, e.type, e.resource_id FROM deliveries d JOIN events e ON e.id = d.event_id
		WHERE d.webhook_id = $1`, hook.ID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d written, err error) {
		return d, row.Scan(&d.id, &d.event, &d.of)
	})
}

// received are the bodies that arrived at a shop, by event and resource. An
// event may come more than once, and is then the same to the last byte.
func (c *counter) received(s *shop) (map[string][]byte, error) {
	bodies := map[string][]byte{}
	for _, q := range c.fixture.hooks.Requests() {
		if !receiver.At(s.path)(q) {
			continue
		}
		if !q.Signed(s.webhook.Secret) {
			return nil, fmt.Errorf("%s of %s is not signed by the service", q.Event.Name, q.Event.ID)
		}
		key := q.Event.Name + " " + q.Event.ID
		if before := bodies[key]; before != nil && !bytes.Equal(before, q.Body) {
			c.addf(books.EventTwice, q.Event.ID, "%s arrived with two bodies", q.Event.Name)
		}
		bodies[key] = q.Body
	}
	return bodies, nil
}
