package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
)

// sale is an order of a shop whose plugin speaks the Greenfield surface.
type sale struct {
	plugin  *clients.Plugin
	webhook clients.PluginWebhook
	invoice clients.Invoice
	payment regtest.Sent
	// pull is the refund as the plugin sees it, refund as the merchant does; buyer is
	// where it goes.
	pull   clients.PullPayment
	refund clients.Refund
	buyer  regtest.Account
}

// pluginStep takes a shop's plugin from its key to an order that is settled, and then
// refunded in part.
func (d *demo) pluginStep() step {
	s := &sale{}
	with := func(f func(context.Context, *sale) error) func(context.Context) error {
		return func(ctx context.Context) error { return f(ctx, s) }
	}
	return step{"A shop's plugin sells and refunds, as it does with BTCPay Server", append([]action{
		{"The plugin asks for a key, and the merchant agrees", with(d.connectPlugin)},
		{"The plugin makes a webhook", with(d.plugWebhook)},
		{"A customer orders: the plugin makes an invoice of 25.00 EUR", with(d.order)},
		{"The customer pays what the invoice asks for", with(d.payOrder)},
		{"Blocks are mined, and the invoice is settled", with(d.settleOrder)},
	}, d.refundActions(s)...)}
}

func (d *demo) connectPlugin(ctx context.Context, s *sale) error {
	wanted := []string{
		"btcpay.store.canviewinvoices", "btcpay.store.cancreateinvoice", "btcpay.store.canviewstoresettings",
		"btcpay.store.canmodifyinvoices", "btcpay.store.webhooks.canmodifywebhooks", "btcpay.store.cancreatenonapprovedpullpayments",
	}
	who := clients.PluginMerchant{Email: d.shop.Account.Merchant.Email, Password: d.shop.Password}
	key, err := clients.Connect(ctx, d.URLs["MERCHANT_URL"], "WooCommerce", who, wanted...)
	if err != nil {
		return err
	}
	s.plugin = &clients.Plugin{BaseURL: d.URLs["MERCHANT_URL"], Key: key}
	fixture.Sayf("after login and consent the browser brought key %s… for store %s", key.APIKey[:12], key.StoreID)
	for _, p := range key.Permissions {
		fixture.Sayf("it may: %s", strings.TrimSuffix(p, ":"+key.StoreID))
	}
	return fixture.Check(len(key.Permissions) == len(wanted) && key.StoreID == d.shop.Account.Merchant.MerchantID, "the key is another")
}

// pluginPath is where the plugin receives its events.
const pluginPath = "/plugin"

func (d *demo) plugWebhook(ctx context.Context, s *sale) (err error) {
	if s.webhook, err = s.plugin.CreateWebhook(ctx, d.Hooks.URL(pluginPath)); err == nil {
		fixture.Sayf("webhook %s to %s", s.webhook.ID, s.webhook.URL)
	}
	return err
}

func (d *demo) order(ctx context.Context, s *sale) (err error) {
	if s.invoice, err = s.plugin.CreateInvoice(ctx, "25.00", "EUR", "1002"); err != nil {
		return err
	}
	fixture.Sayf("invoice %s is %s, its page %s", s.invoice.ID, s.invoice.Status, s.invoice.CheckoutLink)
	return d.hearPlugin(ctx, s, "InvoiceCreated")
}

// hearPlugin waits for an event in BTCPay's shape and verifies it.
func (d *demo) hearPlugin(ctx context.Context, s *sale, kind string) error {
	got, err := d.Hooks.Await(ctx, fixture.AllOf(fixture.ArrivedAt(pluginPath), fixture.InvoiceIs(kind, s.invoice.ID)))
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", kind, err)
	}
	if _, err := got.Invoice(s.webhook.Secret); err != nil {
		return err
	}
	fixture.Sayf("event %s arrived, its BTCPay-Sig is right", kind)
	return nil
}

func (d *demo) payOrder(ctx context.Context, s *sale) error {
	methods, err := s.plugin.Methods(ctx, s.invoice.ID)
	if err != nil {
		return err
	}
	if err := fixture.Check(len(methods) == 1, "there are %d ways to pay", len(methods)); err != nil {
		return err
	}
	due, err := money.ParseXMR(methods[0].Due)
	if err != nil {
		return err
	}
	if s.payment, err = d.Customer.Pay(ctx, regtest.Output{Address: methods[0].Destination, Amount: due}); err != nil {
		return err
	}
	fixture.Sayf("%s XMR to %s…, transaction %s", due, methods[0].Destination[:12], s.payment.Hash)
	if err := errors.Join(d.hearPlugin(ctx, s, "InvoiceReceivedPayment"), d.hearPlugin(ctx, s, "InvoiceProcessing")); err != nil {
		return err
	}
	return d.invoiceIs(ctx, s, "Processing")
}

func (d *demo) settleOrder(ctx context.Context, s *sale) error {
	c, err := d.shop.Charge(ctx, s.invoice.ID)
	if err != nil {
		return err
	}
	err = errors.Join(d.Chain.MineInto(ctx, s.payment.Hash), d.Chain.Mine(ctx, c.ConfirmationsRequired-1))
	if err != nil {
		return err
	}
	err = errors.Join(d.hearPlugin(ctx, s, "InvoicePaymentSettled"), d.hearPlugin(ctx, s, "InvoiceSettled"))
	if err != nil {
		return err
	}
	return errors.Join(d.invoiceIs(ctx, s, "Settled"), d.isCharge(ctx, s))
}

func (d *demo) invoiceIs(ctx context.Context, s *sale, status string) error {
	now, err := s.plugin.Invoice(ctx, s.invoice.ID)
	if err != nil {
		return err
	}
	fixture.Sayf("the invoice is %s", now.Status)
	return fixture.Check(now.Status == status, "it is not %s", status)
}

// isCharge looks at the invoice by the merchant's own API.
func (d *demo) isCharge(ctx context.Context, s *sale) error {
	c, err := d.shop.Charge(ctx, s.invoice.ID)
	if err != nil {
		return err
	}
	fixture.Sayf("in the merchant's own API it is a charge that is %s, %s XMR received", c.Status, c.AmountReceivedXMR)
	return fixture.Check(c.Status == "confirmed" && c.AmountReceivedXMR == c.AmountXMR, "the charge is another")
}
