//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// people lets a merchant sign up with an invite, and with no other.
func (d *day) people(ctx context.Context) error {
	var invite struct {
		Token string `json:"invite"`
	}
	if err := d.site.admin(ctx, &invite, "invite", "create"); err != nil {
		return err
	}
	d.shop = &fixture.Shop{Merchant: &clients.Merchant{BaseURL: publicURL, HTTP: d.client}, Password: rand.Text()}
	if _, err := d.shop.SignUp(ctx, "stranger@example.com", d.shop.Password, "Stranger", ""); clients.Status(err) != http.StatusForbidden {
		return fmt.Errorf("a stranger's sign-up should be refused with 403: %w", err)
	}
	if _, err := d.shop.SignUp(ctx, shopEmail, d.shop.Password, "Shop", invite.Token); err != nil {
		return err
	}
	fixture.Sayf("nobody opens an account without an invite; a merchant has opened one")
	return d.openHooks(ctx)
}

// openHooks lets the merchant listen where the installation's containers reach
// this machine: at the address of the one network that has a fixed one.
func (d *day) openHooks(ctx context.Context) error {
	hooks, err := fixture.StartReceiver()
	if err != nil {
		return err
	}
	d.shop.Hooks, d.chains.Hooks = hooks, hooks
	gateway, err := d.site.gateway(ctx, "edge")
	if err != nil {
		return err
	}
	local := strings.TrimPrefix(hooks.URL(""), "http://")
	t, err := openTunnel(ctx, net.JoinHostPort(gateway, "0"), func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", local)
	})
	if err != nil {
		return err
	}
	d.tunnels = append(d.tunnels, t)
	d.shop.Webhook, err = d.shop.CreateWebhook(ctx, "http://"+t.addr()+"/events", clients.AllEvents()...)
	return err
}

// hear waits for an event, and prints it.
func (d *day) hear(ctx context.Context, event, id string) error {
	err := d.heard(ctx, event, id)
	if err == nil {
		fixture.Sayf("the webhook %s arrived", event)
	}
	return err
}

// heard waits for an event and verifies its signature.
func (d *day) heard(ctx context.Context, event, id string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := d.shop.Hear(ctx, event, id)
	return err
}

// charge takes a payment from the request to the event that it can be counted on.
func (d *day) charge(ctx context.Context) error {
	var err error
	if d.paid, err = d.shop.CreateCharge(ctx, clients.NewCharge{Amount: money.MustDecimal("12.34"), Currency: "USD"}); err != nil {
		return err
	}
	fixture.Sayf("charge %s asks for %s XMR at %s", d.paid.ID, d.paid.AmountXMR, d.paid.PaymentURL)
	if err := d.page(ctx, d.client, d.paid.PaymentURL, d.paid.Subaddress); err != nil {
		return err
	}
	sent, err := d.chains.Customer.Pay(ctx, fixture.Outputs(d.paid)...)
	if err != nil {
		return err
	}
	if err := d.hear(ctx, "charge.pending", d.paid.ID); err != nil {
		return err
	}
	if err := d.chains.Bury(ctx, fixture.Monero, sent.Hash, d.paid.ConfirmationsRequired+1); err != nil {
		return err
	}
	return d.hear(ctx, "charge.confirmed", d.paid.ID)
}

// payout sweeps the balance, and checks where the money arrives.
func (d *day) payout(ctx context.Context) error {
	if err := d.shop.PayOutTo(ctx, d.chains.Customer); err != nil {
		return err
	}
	if err := d.sweepAll(ctx); err != nil {
		return err
	}
	payouts, err := d.shop.Payouts(ctx)
	if err != nil {
		return err
	}
	p := payouts[0]
	gross, err := money.Sum(p.AmountXMR, p.FeeXMR, p.NetworkFeeXMR)
	if err != nil {
		return err
	}
	fixture.Sayf("payout %s: %s XMR, and %s XMR to the chain", p.PayoutID, p.AmountXMR, p.NetworkFeeXMR)
	return errors.Join(fixture.Check(gross == d.paid.AmountXMR, "this is not what was paid"), d.hear(ctx, "payout.sent", p.PayoutID))
}
