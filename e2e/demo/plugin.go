package main

import (
	"context"
	"errors"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// sale is an order of a shop whose plugin speaks the Greenfield surface.
type sale struct {
	*demo

	plugin  *clients.Plugin
	webhook clients.PluginWebhook
	invoice clients.Invoice
	payment fixture.Sent
	// pull is the refund as the plugin sees it, refund as the merchant does; buyer is
	// where it goes.
	pull   clients.PullPayment
	refund clients.Refund
	buyer  fixture.Account
}

// pluginStep takes a shop's plugin from its key to an order that is settled, and then
// refunded in part.
func (d *demo) pluginStep() step {
	s := &sale{demo: d}
	return step{"A shop's plugin sells and refunds, as it does with BTCPay Server", []action{
		{"The plugin asks for a key, and the merchant agrees", s.connectPlugin},
		{"The plugin makes a webhook", s.plugWebhook},
		{"A customer orders: the plugin makes an invoice of 25.00 EUR", s.order},
		{"The customer pays what the invoice asks for", s.payOrder},
		{"Blocks are mined, and the invoice is settled", s.settleOrder},
		{"The customer sends half of it back: the plugin makes a refund", s.refundOrder},
		{"The customer opens the link and says where the money should go", s.claimRefund},
		{"The merchant approves, and the money is sent", s.approveRefund},
		{"Blocks are mined, and the refund has arrived", s.refundArrived},
	}}
}

func (s *sale) connectPlugin(ctx context.Context) {
	wanted := []string{
		"btcpay.store.canviewinvoices", "btcpay.store.cancreateinvoice", "btcpay.store.canviewstoresettings",
		"btcpay.store.canmodifyinvoices", "btcpay.store.webhooks.canmodifywebhooks", "btcpay.store.cancreatenonapprovedpullpayments",
	}
	who := clients.PluginMerchant{Email: s.shop.Account.Merchant.Email, Password: s.shop.Password}
	key := fixture.Must(clients.Connect(ctx, s.URLs["MERCHANT_URL"], "WooCommerce", who, wanted...))
	s.plugin = &clients.Plugin{BaseURL: s.URLs["MERCHANT_URL"], Key: key}
	fixture.Sayf("after login and consent the browser brought key %s… for store %s", key.APIKey[:12], key.StoreID)
	for _, p := range key.Permissions {
		fixture.Sayf("it may: %s", strings.TrimSuffix(p, ":"+key.StoreID))
	}
	fixture.Requiref(len(key.Permissions) == len(wanted) && key.StoreID == s.shop.Account.Merchant.MerchantID, "the key is another")
}

// pluginPath is where the plugin receives its events.
const pluginPath = "/plugin"

func (s *sale) plugWebhook(ctx context.Context) {
	s.webhook = fixture.Must(s.plugin.CreateWebhook(ctx, s.Hooks.URL(pluginPath)))
	fixture.Sayf("webhook %s to %s", s.webhook.ID, s.webhook.URL)
}

func (s *sale) order(ctx context.Context) {
	s.invoice = fixture.Must(s.plugin.CreateInvoice(ctx, "25.00", "EUR", "1002"))
	fixture.Sayf("invoice %s is %s, its page %s", s.invoice.ID, s.invoice.Status, s.invoice.CheckoutLink)
	s.hearPlugin(ctx, "InvoiceCreated")
}

// hearPlugin waits for an event in BTCPay's shape and verifies it.
func (s *sale) hearPlugin(ctx context.Context, kind string) {
	got, err := s.Hooks.Await(ctx, fixture.AllOf(fixture.ArrivedAt(pluginPath), fixture.InvoiceIs(kind, s.invoice.ID)))
	if err != nil {
		fixture.Failf("waiting for %s: %w", kind, err)
	}
	fixture.Must(got.Invoice(s.webhook.Secret))
	fixture.Sayf("event %s arrived, its BTCPay-Sig is right", kind)
}

func (s *sale) payOrder(ctx context.Context) {
	methods := fixture.Must(s.plugin.Methods(ctx, s.invoice.ID))
	fixture.Requiref(len(methods) == 1, "there are %d ways to pay", len(methods))
	due := fixture.Must(money.ParseXMR(methods[0].Due))
	s.payment = fixture.Must(s.Customer.Pay(ctx, fixture.Output{Address: methods[0].Destination, Amount: due}))
	fixture.Sayf("%s XMR to %s…, transaction %s", due, methods[0].Destination[:12], s.payment.Hash)
	s.hearPlugin(ctx, "InvoiceReceivedPayment")
	s.hearPlugin(ctx, "InvoiceProcessing")
	s.invoiceIs(ctx, "Processing")
}

func (s *sale) settleOrder(ctx context.Context) {
	c := fixture.Must(s.shop.Charge(ctx, s.invoice.ID))
	fixture.Do(errors.Join(s.Chain.MineInto(ctx, s.payment.Hash), s.Chain.Mine(ctx, c.ConfirmationsRequired-1)))
	s.hearPlugin(ctx, "InvoicePaymentSettled")
	s.hearPlugin(ctx, "InvoiceSettled")
	s.invoiceIs(ctx, "Settled")
	s.isCharge(ctx)
}

func (s *sale) invoiceIs(ctx context.Context, status string) {
	now := fixture.Must(s.plugin.Invoice(ctx, s.invoice.ID))
	fixture.Sayf("the invoice is %s", now.Status)
	fixture.Requiref(now.Status == status, "it is not %s", status)
}

// isCharge looks at the invoice by the merchant's own API.
func (s *sale) isCharge(ctx context.Context) {
	c := fixture.Must(s.shop.Charge(ctx, s.invoice.ID))
	fixture.Sayf("in the merchant's own API it is a charge that is %s, %s XMR received", c.Status, c.AmountReceivedXMR)
	fixture.Requiref(c.Status == "confirmed" && c.AmountReceivedXMR == c.AmountXMR, "the charge is another")
}
