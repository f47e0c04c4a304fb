//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"net"
	"net/http"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// people lets a merchant sign up with an invite, and with no other.
func (d *day) people(ctx context.Context) {
	var invite struct {
		Token string `json:"invite"`
	}
	d.site.admin(ctx, &invite, "invite", "create")
	d.shop = &fixture.Shop{Merchant: &clients.Merchant{BaseURL: publicURL, HTTP: d.client}, Password: rand.Text()}
	if _, err := d.shop.SignUp(ctx, "stranger@example.com", d.shop.Password, "Stranger", ""); clients.Status(err) != http.StatusForbidden {
		fixture.Failf("a stranger's sign-up should be refused with 403: %w", err)
	}
	fixture.Must(d.shop.SignUp(ctx, shopEmail, d.shop.Password, "Shop", invite.Token))
	fixture.Sayf("nobody opens an account without an invite; a merchant has opened one")
	d.openHooks(ctx)
}

// openHooks lets the merchant listen where the installation's containers reach
// this machine: at the address of the one network that has a fixed one.
func (d *day) openHooks(ctx context.Context) {
	hooks := fixture.Must(fixture.StartReceiver())
	d.shop.Hooks, d.chains.Hooks = hooks, hooks
	gateway := d.site.gateway(ctx, "edge")
	local := strings.TrimPrefix(hooks.URL(""), "http://")
	address := d.tunnel(ctx, net.JoinHostPort(gateway, "0"), func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", local)
	})
	d.shop.Webhook = fixture.Must(d.shop.CreateWebhook(ctx, "http://"+address+"/events", clients.AllEvents()...))
}

// hear waits for an event, and prints it.
func (d *day) hear(ctx context.Context, event, id string) {
	d.heard(ctx, event, id)
	fixture.Sayf("the webhook %s arrived", event)
}

// heard waits for an event and verifies its signature.
func (d *day) heard(ctx context.Context, event, id string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	fixture.Must(d.shop.Hear(ctx, event, id))
}

// charge takes a payment from the request to the event that it can be counted on.
func (d *day) charge(ctx context.Context) {
	d.paid = fixture.Must(d.shop.CreateCharge(ctx, clients.NewCharge{Amount: money.MustDecimal("12.34"), Currency: "USD"}))
	fixture.Sayf("charge %s asks for %s XMR at %s", d.paid.ID, d.paid.AmountXMR, d.paid.PaymentURL)
	d.page(ctx, d.client, d.paid.PaymentURL, d.paid.Subaddress)
	sent := fixture.Must(d.chains.Customer.Pay(ctx, fixture.Outputs(d.paid)...))
	d.hear(ctx, "charge.pending", d.paid.ID)
	fixture.Do(d.chains.Bury(ctx, fixture.Monero, sent.Hash, d.paid.ConfirmationsRequired+1))
	d.hear(ctx, "charge.confirmed", d.paid.ID)
}

// payout sweeps the balance, and checks where the money arrives.
func (d *day) payout(ctx context.Context) {
	fixture.Do(d.shop.PayOutTo(ctx, d.chains.Customer))
	d.sweepAll(ctx)
	p := fixture.Must(d.shop.Payouts(ctx))[0]
	gross := fixture.Must(money.Sum(p.AmountXMR, p.FeeXMR, p.NetworkFeeXMR))
	fixture.Sayf("payout %s: %s XMR, and %s XMR to the chain", p.PayoutID, p.AmountXMR, p.NetworkFeeXMR)
	fixture.Requiref(gross == d.paid.AmountXMR, "this is not what was paid")
	d.hear(ctx, "payout.sent", p.PayoutID)
}
