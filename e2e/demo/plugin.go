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
	permissions := []string{
		"btcpay.store.canviewinvoices", "btcpay.store.cancreateinvoice", "btcpay.store.canviewstoresettings",
		"btcpay.store.canmodifyinvoices", "btcpay.store.webhooks.canmodifywebhooks", "btcpay.store.cancreatenonapprovedpullpayments",
	}
	who := clients.PluginMerchant{Email: s.shop.Account.Merchant.Email, Password: s.shop.Password}
	key := fixture.Must(clients.Connect(ctx, s.URLs["MERCHANT_URL"], "WooCommerce", who, permissions...))
	s.plugin = &clients.Plugin{BaseURL: s.URLs["MERCHANT_URL"], Key: key}
	fixture.Sayf("after login and consent the browser brought key %s… for store %s", key.APIKey[:12], key.StoreID)
	for _, p := range key.Permissions {
		fixture.Sayf("it may: %s", strings.TrimSuffix(p, ":"+key.StoreID))
	}
	fixture.Requiref(len(key.Permissions) == len(permissions) && key.StoreID == s.shop.Account.Merchant.MerchantID, "the key is another")
}

const pluginPath = "/plugin"

func (s *sale) plugWebhook(ctx context.Context) {
	s.webhook = fixture.Must(s.plugin.CreateWebhook(ctx, s.Hooks.URL(pluginPath)))
	fixture.Sayf("webhook %s to %s", s.webhook.ID, s.webhook.URL)
}

func (s *sale) order(ctx context.Context) {
	s.invoice = fixture.Must(s.plugin.CreateInvoice(ctx, "25.00", "EUR", "1002"))
	fixture.Sayf("invoice %s is %s, its page %s", s.invoice.ID, s.invoice.Status, s.invoice.CheckoutLink)
	s.awaitPluginEvent(ctx, "InvoiceCreated")
}

func (s *sale) awaitPluginEvent(ctx context.Context, kind string) {
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
	s.awaitPluginEvent(ctx, "InvoiceReceivedPayment")
	s.awaitPluginEvent(ctx, "InvoiceProcessing")
	s.invoiceIs(ctx, "Processing")
}

func (s *sale) settleOrder(ctx context.Context) {
	c := fixture.Must(s.shop.Charge(ctx, s.invoice.ID))
	fixture.Do(errors.Join(s.Chain.MineInto(ctx, s.payment.Hash), s.Chain.Mine(ctx, c.ConfirmationsRequired-1)))
	s.awaitPluginEvent(ctx, "InvoicePaymentSettled")
	s.awaitPluginEvent(ctx, "InvoiceSettled")
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

func (s *sale) refundOrder(ctx context.Context) {
	s.pull = fixture.Must(s.plugin.Refund(ctx, s.invoice.ID, "50"))
	fixture.Sayf("%q gives back %s %s", s.pull.Name, s.pull.Amount, s.pull.Currency)
	fixture.Sayf("the customer's page: %s", s.pull.ViewLink)
}

// claimRefund uses the page alone, in the browser without script.
func (s *sale) claimRefund(ctx context.Context) {
	s.buyer = fixture.Must(s.Customer.NewAccount(ctx))
	fixture.Do(errors.Join(s.browser.Visit(s.pull.ViewLink), s.browser.Type("#address", s.buyer.Address),
		s.browser.Click("form button"), s.browser.Await("section.claims")))
	fixture.Sayf("the page says: %s", fixture.Must(s.browser.Text("h1")))
}

func (s *sale) approveRefund(ctx context.Context) {
	id, _, _ := strings.Cut(s.pull.ID, "-")
	approved := fixture.Must(s.shop.ApproveRefund(ctx, id))
	fixture.Requiref(len(approved.Claims) == 1, "the refund has %d claims", len(approved.Claims))
	fixture.Sayf("claim %s of %s XMR is approved", approved.Claims[0].ID, approved.Claims[0].AmountXMR)
	fixture.Do(s.Chain.Mine(ctx, fixture.UnlockBlocks)) // the order's money has to be spendable
	fixture.Wait(ctx, "the refund is sent", func() bool {
		s.refund = fixture.Must(s.shop.Refund(ctx, id))
		return len(s.refund.Claims) == 1 && s.refund.Claims[0].TxHash != nil
	})
	s.known(ctx, *s.refund.Claims[0].TxHash)
}

func (s *sale) refundArrived(ctx context.Context) {
	fixture.Do(s.Chain.MineInto(ctx, *s.refund.Claims[0].TxHash))
	fixture.Wait(ctx, "the refund is confirmed", func() bool {
		fixture.Do(s.Chain.Mine(ctx, 1))
		s.refund = fixture.Must(s.shop.Refund(ctx, s.refund.ID))
		return s.refund.Status == "completed"
	})
	receipts := fixture.Must(s.buyer.Receipts(ctx))
	promised := fixture.Must(money.ParseXMR(s.pull.Amount))
	fixture.Requiref(len(receipts) == 1 && receipts[0].TxHash == *s.refund.Claims[0].TxHash && receipts[0].Amount == promised,
		"the customer received %v", receipts)
	fixture.Sayf("on the chain the customer's address received %s XMR, as promised", receipts[0].Amount)
	s.restArrived(ctx, s.refund.Claims[0])
	fixture.Do(s.browser.Visit(s.pull.ViewLink))
	fixture.Sayf("the customer's page says: %s", fixture.Must(s.browser.Text("h1")))
}

// restArrived compares what the refund's transaction left for the merchant with the
// payout that made it.
func (d *demo) restArrived(ctx context.Context, claim clients.RefundClaim) {
	payouts := fixture.Must(d.shop.Payouts(ctx))
	receipts := fixture.Must(d.shop.Wallet.Receipts(ctx))
	for _, p := range payouts {
		for _, r := range receipts {
			if p.PayoutID == *claim.PayoutID && r.TxHash == *claim.TxHash && r.Amount == p.AmountXMR {
				fixture.Sayf("the same transaction paid the rest to the merchant: %s XMR", r.Amount)
				return
			}
		}
	}
	fixture.Failf("the rest did not go to the payout address as booked")
}
