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

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/receiver"
	"github.com/durapay/durapay/e2e/regtest"
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
	d.shop, d.password = &merchant.Client{BaseURL: publicURL, HTTP: d.client}, rand.Text()
	if _, err := d.shop.SignUp(ctx, "stranger@example.com", d.password, "Stranger", ""); merchant.Status(err) != http.StatusForbidden {
		return fmt.Errorf("a stranger's sign-up should be refused with 403: %w", err)
	}
	if _, err := d.shop.SignUp(ctx, shopEmail, d.password, "Shop", invite.Token); err != nil {
		return err
	}
	sayf("nobody opens an account without an invite; a merchant has opened one")
	return d.openHooks(ctx)
}

// openHooks lets the merchant listen where the installation's containers reach
// this machine: at the address of the one network that has a fixed one.
func (d *day) openHooks(ctx context.Context) error {
	var err error
	if d.hooks, err = receiver.Start(); err != nil {
		return err
	}
	gateway, err := d.site.gateway(ctx, "edge")
	if err != nil {
		return err
	}
	local := strings.TrimPrefix(d.hooks.URL(""), "http://")
	t, err := openTunnel(ctx, net.JoinHostPort(gateway, "0"), func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", local)
	})
	if err != nil {
		return err
	}
	d.tunnels = append(d.tunnels, t)
	d.hookURL = "http://" + t.addr() + "/events"
	hook, err := d.shop.CreateWebhook(ctx, d.hookURL, merchant.AllEvents()...)
	d.secret = hook.Secret
	return err
}

// hear waits for an event, and says so.
func (d *day) hear(ctx context.Context, event, id string) error {
	err := d.heard(ctx, event, id)
	if err == nil {
		sayf("the webhook %s arrived", event)
	}
	return err
}

// heard waits for an event and verifies its signature.
func (d *day) heard(ctx context.Context, event, id string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	got, err := d.hooks.Await(ctx, receiver.Of(event, id))
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", event, err)
	}
	return check(got.Signed(d.secret), "the signature of %s is wrong", event)
}

// charge takes a payment from the request to the event that it can be counted on.
func (d *day) charge(ctx context.Context) error {
	var err error
	if d.paid, err = d.shop.CreateCharge(ctx, merchant.NewCharge{Amount: money.MustDecimal("12.34"), Currency: "USD"}); err != nil {
		return err
	}
	sayf("charge %s asks for %s XMR at %s", d.paid.ID, d.paid.AmountXMR, d.paid.PaymentURL)
	if err := d.page(ctx, d.client, d.paid.PaymentURL, d.paid.Subaddress); err != nil {
		return err
	}
	sent, err := d.chains.customer.Pay(ctx, regtest.Output{Address: d.paid.Subaddress, Amount: d.paid.AmountXMR})
	if err != nil {
		return err
	}
	if err := d.hear(ctx, "charge.pending", d.paid.ID); err != nil {
		return err
	}
	if err := errors.Join(d.chains.chain.MineInto(ctx, sent.Hash), d.chains.chain.Mine(ctx, d.paid.ConfirmationsRequired)); err != nil {
		return err
	}
	return d.hear(ctx, "charge.confirmed", d.paid.ID)
}

// payout sweeps what was paid, and looks where it arrives.
func (d *day) payout(ctx context.Context) error {
	var err error
	if d.account, err = d.chains.customer.NewAccount(ctx); err != nil {
		return err
	}
	if err := d.shop.SetPayoutAddress(ctx, d.account.Address); err != nil {
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
	sayf("payout %s: %s XMR, and %s XMR to the chain", p.PayoutID, p.AmountXMR, p.NetworkFeeXMR)
	return errors.Join(check(gross == d.paid.AmountXMR, "this is not what was paid"), d.hear(ctx, "payout.sent", p.PayoutID))
}
