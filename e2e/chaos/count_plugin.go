package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/durapay/durapay/e2e/books"
	"github.com/durapay/durapay/e2e/receiver"
)

// told are the names of a shop's events in BTCPay's shape by charge, as they are
// written down. Those that have not arrived are faults.
func (c *counter) told(ctx context.Context, s *shop) (map[string][]string, error) {
	written, err := c.written(ctx, s.plugin)
	if err != nil {
		return nil, err
	}
	received, err := c.receivedAsPlugin(s)
	if err != nil {
		return nil, err
	}
	events := map[string][]string{}
	for _, d := range written {
		events[d.of] = append(events[d.of], d.event)
		c.made[invoicesTold]++
		if got, ok := received[d.id]; !ok || got.Type != d.event || got.InvoiceID != d.of {
			c.addf(books.EventMissing, d.of, "%s did not arrive in BTCPay's shape", d.event)
		}
	}
	return events, nil
}

// pluginBody is what a plugin reads of a delivery.
type pluginBody struct {
	DeliveryID string `json:"deliveryId"`
	Type       string `json:"type"`
	InvoiceID  string `json:"invoiceId"`
	body       []byte
}

// receivedAsPlugin are the deliveries that arrived in BTCPay's shape. One may come more
// than once, and is then the same to the last byte.
func (c *counter) receivedAsPlugin(s *shop) (map[string]pluginBody, error) {
	arrived := map[string]pluginBody{}
	for _, q := range c.fixture.hooks.Requests() {
		if !receiver.At(s.pluginPath())(q) {
			continue
		}
		got := pluginBody{body: q.Body}
		if err := json.Unmarshal(q.Body, &got); err != nil {
			return nil, fmt.Errorf("a delivery in BTCPay's shape: %w", err)
		}
		if !q.SignedAsBTCPay(s.plugin.Secret) {
			return nil, fmt.Errorf("%s of %s is not signed by the service", got.Type, got.InvoiceID)
		}
		if before, ok := arrived[got.DeliveryID]; ok && !bytes.Equal(before.body, q.Body) {
			c.addf(books.EventTwice, got.InvoiceID, "%s arrived with two bodies", got.Type)
		}
		arrived[got.DeliveryID] = got
	}
	return arrived, nil
}
