package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/plugin"
)

const (
	// dialectBar is what the Greenfield surface may cost, by what our own API costs.
	dialectBar = 1.1
	// invoiceClients make invoices, and charges, side by side.
	invoiceClients = 8
	// btcpayEvent is the event of a new charge in BTCPay's shape.
	btcpayEvent = "InvoiceCreated"
)

// invoiceAddresses is how many addresses invoices needs.
func (b *bench) invoiceAddresses() int { return 2 * (b.sizes.reads + invoiceClients) }

// connect is the shop's plugin, with a key of its own.
func (s *shop) connect(ctx context.Context) (*plugin.Client, error) {
	key, err := plugin.Connect(ctx, s.BaseURL, "Bench", plugin.Merchant{Email: s.email, Password: password},
		"btcpay.store.cancreateinvoice", "btcpay.store.webhooks.canmodifywebhooks")
	return &plugin.Client{BaseURL: s.BaseURL, Key: key, HTTP: s.fixture.http}, err
}

// invoices measures what an invoice costs by the surface of shop plugins, compared
// with a charge of the same merchant. Each client makes one after the other, so that
// a busy machine slows both.
func (b *bench) invoices(ctx context.Context) error {
	shop, err := b.crowd.connect(ctx)
	if err != nil {
		return err
	}
	invoice := func(ctx context.Context, _ int64) error { return b.fixture.postInvoice(ctx, shop) }
	sides := [2]work{b.crowd.post, invoice}
	var mu sync.Mutex
	var samples [2][]time.Duration
	pairs := int64(b.sizes.reads + invoiceClients) // the first of each client does not count
	err = repeat(ctx, invoiceClients, pairs, func(ctx context.Context, n int64) error {
		for i := range 2 {
			side := int(n+int64(i)) % 2
			begun := time.Now()
			if err := sides[side](ctx, n); err != nil {
				return err
			}
			if took := time.Since(begun); n > invoiceClients {
				mu.Lock()
				samples[side] = append(samples[side], took)
				mu.Unlock()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	cost := quotient(percentile(samples[1], 50), percentile(samples[0], 50))
	b.table.add(row{
		measure: fmt.Sprintf("an invoice by the Greenfield surface, %d clients", invoiceClients),
		value:   spread(samples[1]), reference: "a charge: " + spread(samples[0]),
		ratio: ratioText(cost) + " (p50)", bar: fmt.Sprintf("ratio ≤ %.1f", dialectBar), met: cost <= dialectBar,
	})
	return nil
}

// postInvoice makes an invoice as cheaply as post makes a charge.
func (w *fixture) postInvoice(ctx context.Context, c *plugin.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.BaseURL+"/api/v1/stores/"+c.Key.StoreID+"/invoices",
		strings.NewReader(`{"amount":"`+price+`","currency":"XMR"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "token "+c.Key.APIKey)
	return w.do(req, "")
}

// dialectAddresses is how many addresses dialects needs.
func (b *bench) dialectAddresses() int { return (2*b.sizes.rounds + 2) * b.sizes.burst }

// dialects measures what deliveries in BTCPay's shape cost, compared with as many in
// ours. Both are of charges that are made in the same way, and the charges' creation
// is included.
func (b *bench) dialects(ctx context.Context) error {
	ours, err := b.fixture.openShop(ctx, []string{ourEvent}, goodPaths()...)
	if err != nil {
		return err
	}
	theirs, err := b.fixture.openShop(ctx, nil)
	if err != nil {
		return err
	}
	shop, err := theirs.connect(ctx)
	if err != nil {
		return err
	}
	for _, path := range goodPaths() {
		if _, err := shop.CreateWebhook(ctx, b.fixture.inbox.url+path); err != nil {
			return err
		}
	}
	side := func(ctx context.Context, n int) (time.Duration, error) {
		if n == 0 {
			return ours.burst(ctx, b.sizes.burst, ourEvent)
		}
		return theirs.burst(ctx, b.sizes.burst, btcpayEvent)
	}
	for n := range 2 { // these do not count
		if _, err := side(ctx, n); err != nil {
			return err
		}
	}
	var took [2]time.Duration
	for n := range 2 * b.sizes.rounds {
		if err := pause(ctx, breath); err != nil {
			return err
		}
		more, err := side(ctx, turn(n))
		if err != nil {
			return err
		}
		took[turn(n)] += more
	}
	each := time.Duration(b.sizes.rounds * b.sizes.burst * goodReceivers)
	cost := quotient(took[1], took[0])
	b.table.add(row{
		measure: "a webhook delivery in BTCPay's shape, its charge's creation included", value: short(took[1] / each),
		reference: "in ours: " + short(took[0]/each), ratio: ratioText(cost), bar: fmt.Sprintf("ratio ≤ %.1f", dialectBar), met: cost <= dialectBar,
	})
	return nil
}
