package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// pluginPath is where a shop's plugin receives its events.
const pluginPath = "/plugin"

// connect gives an application a key by the pages of connecting.
func (s *shop) connect(t *testing.T, application string, permissions ...string) clients.PluginKey {
	t.Helper()
	key, err := clients.Connect(within(t), s.testbed.url, application, clients.PluginMerchant{Email: s.Account.Merchant.Email, Password: s.Password}, permissions...)
	require.NoError(t, err)
	require.Equal(t, s.Account.Merchant.MerchantID, key.StoreID)
	granted := []string{}
	for _, p := range permissions {
		granted = append(granted, p+":"+key.StoreID)
	}
	require.ElementsMatch(t, granted, key.Permissions, "exactly what was asked for")
	return key
}

// delivery is what a plugin reads of the log of its webhook.
type delivery struct {
	ID       string `json:"id"`
	HTTPCode *int   `json:"httpCode"`
	Status   string `json:"status"`
}

// of are inputs of the node client's operations.
type of map[string]any

// TestLifeOfAnInvoiceByTheNodeClient: an unmodified client of BTCPay's API sells for
// Monero, from the key to the deletion of the webhook.
func TestLifeOfAnInvoiceByTheNodeClient(t *testing.T) {
	t.Parallel()
	dir := nodeTools(t)
	s := openShop(t, merchantStacks.take(t))
	key := s.connect(t, "A shop in Node.js", "btcpay.store.canviewinvoices", "btcpay.store.cancreateinvoice",
		"btcpay.store.canmodifyinvoices", "btcpay.store.canviewstoresettings", "btcpay.store.webhooks.canmodifywebhooks",
		"btcpay.store.cancreatenonapprovedpullpayments")
	node := startNode(t, dir, s.testbed.url, key.APIKey)
	store := key.StoreID
	node.checkServer(t, key)

	var hook struct{ ID, Secret, URL string }
	node.call(t, &hook, "WebhooksService", "postWebhooksService", of{"storeId": store, "requestBody": of{
		"url": s.Hooks.URL(pluginPath), "secret": "the shop's own", "enabled": true, "automaticRedelivery": true,
		"authorizedEvents": of{"everything": true, "specificEvents": []string{}},
	}})
	require.Equal(t, "the shop's own", hook.Secret)
	var hooks []struct{ ID string }
	node.call(t, &hooks, "WebhooksService", "webhokksGetWebhooks", of{"storeId": store})
	require.Len(t, hooks, 1, "webhooks of our own shape are not listed")
	receiver := pluginHook{s, hook.ID, hook.Secret}

	var made clients.Invoice
	node.call(t, &made, "InvoicesService", "invoicesCreateInvoice", of{"storeId": store, "requestBody": of{
		"amount": "12.34", "currency": "USD", "metadata": of{"orderId": "N-1", "itemDesc": "A bag of coffee"},
	}})
	require.Equal(t, "New", made.Status)
	require.Equal(t, store, made.StoreID)
	require.Equal(t, "12.34", made.Amount)
	require.JSONEq(t, `{"orderId":"N-1","itemDesc":"A bag of coffee"}`, string(made.Metadata))
	created := receiver.await(t, "InvoiceCreated", made.ID)
	require.JSONEq(t, string(made.Metadata), string(created.Metadata))
	s.verifyStandard(t, node, "charge.created", made.ID)

	s.payInvoice(t, node, receiver, made)

	var list []clients.Invoice
	node.call(t, &list, "InvoicesService", "invoicesGetInvoices", of{"storeId": store})
	require.Len(t, list, 1)
	require.Equal(t, made.ID, list[0].ID)
	require.Equal(t, "Settled", list[0].Status)
	input := of{"storeId": store, "invoiceId": made.ID}
	var described clients.Invoice
	node.call(t, &described, "InvoicesService", "invoicesUpdateInvoice", of{
		"storeId": store, "invoiceId": made.ID, "requestBody": of{"metadata": of{"orderId": "N-2"}},
	})
	require.JSONEq(t, `{"orderId":"N-2"}`, string(described.Metadata))
	node.call(t, &described, "InvoicesService", "invoicesGetInvoice", input)
	require.JSONEq(t, `{"orderId":"N-2"}`, string(described.Metadata))

	node.redeliver(t, receiver, made.ID)
	s.refundInvoice(t, dir, key, made)
	gone := of{"storeId": store, "webhookId": hook.ID}
	node.call(t, nil, "WebhooksService", "deleteWebhooksService", of{"storeId": store, "webhookId": hook.ID, "requestBody": of{}})
	require.Equal(t, refusal{404, "webhook-not-found"}, node.refused(t, "WebhooksService", "webhokksGetWebhook", gone))
}

// checkServer asks what plugins ask before they sell.
func (n *nodeClient) checkServer(t *testing.T, key clients.PluginKey) {
	t.Helper()
	var server struct {
		Version      string
		FullySynched bool
		SyncStatus   []json.RawMessage
		Methods      []string `json:"supportedPaymentMethods"`
	}
	n.call(t, &server, "ServerInfoService", "serverInfoGetServerInfo", nil)
	require.True(t, strings.HasPrefix(server.Version, "2."), server.Version)
	require.True(t, server.FullySynched)
	require.Contains(t, server.Methods, "XMR-CHAIN")
	var health struct{ Synchronized bool }
	n.call(t, &health, "HealthService", "healthGetHealth", nil)
	require.True(t, health.Synchronized)
	var current struct {
		APIKey, Label string
		Permissions   []string
	}
	n.call(t, &current, "ApiKeysService", "getApiKeysService", nil)
	require.Equal(t, key.APIKey, current.APIKey, "its own, as BTCPay answers")
	require.Equal(t, "A shop in Node.js", current.Label)
	require.ElementsMatch(t, key.Permissions, current.Permissions)
	var stores []struct{ ID, Name string }
	n.call(t, &stores, "StoresService", "storesGetStores", nil)
	require.Len(t, stores, 1)
	require.Equal(t, key.StoreID, stores[0].ID)
	require.Equal(t, "Test shop", stores[0].Name)
	require.Equal(t, refusal{403, "missing-permission"}, n.refused(t, "StoresService", "storesGetStore", of{"storeId": "another"}))
}

// payInvoice pays an invoice in full, and follows it until it is settled.
func (s *shop) payInvoice(t *testing.T, node *nodeClient, receiver pluginHook, made clients.Invoice) {
	t.Helper()
	c, err := s.Charge(within(t), made.ID)
	require.NoError(t, err, "an invoice is a charge")
	input := of{"storeId": made.StoreID, "invoiceId": made.ID}
	var now clients.Invoice
	sent := s.pay(t, c)
	receiver.await(t, "InvoiceReceivedPayment", made.ID)
	require.Equal(t, new(bool), receiver.await(t, "InvoiceProcessing", made.ID).OverPaid)
	node.call(t, &now, "InvoicesService", "invoicesGetInvoice", input)
	require.Equal(t, "Processing", now.Status)
	s.mineUntil(t, "charge.confirmed", made.ID)
	require.Equal(t, new(bool), receiver.await(t, "InvoicePaymentSettled", made.ID).AfterExpiration)
	settled := receiver.await(t, "InvoiceSettled", made.ID)
	require.Equal(t, new(bool), settled.OverPaid)
	require.Equal(t, new(bool), settled.ManuallyMarked)
	s.verifyStandard(t, node, "charge.confirmed", made.ID)
	node.call(t, &now, "InvoicesService", "invoicesGetInvoice", input)
	require.Equal(t, "Settled", now.Status)
	require.Equal(t, "None", now.AdditionalStatus)
	var methods []clients.Method
	node.call(t, &methods, "InvoicesService", "invoicesGetInvoicePaymentMethods", input)
	require.Len(t, methods, 1)
	require.Equal(t, c.Subaddress, methods[0].Destination)
	require.Equal(t, "0", methods[0].Due)
	require.Equal(t, c.AmountXMR.String(), methods[0].TotalPaid)
	require.Len(t, methods[0].Payments, 1)
	hash, _, _ := strings.Cut(methods[0].Payments[0].ID, "-")
	require.Equal(t, sent.Hash, hash)
	require.Equal(t, "Settled", methods[0].Payments[0].Status)
}

// pluginHook is a webhook in BTCPay's shape.
type pluginHook struct {
	shop       *shop
	id, secret string
}

// await returns an event about an invoice, its signature verified.
func (h pluginHook) await(t *testing.T, kind, invoiceID string) fixture.InvoiceEvent {
	t.Helper()
	got := h.shop.awaitRequest(t, fixture.AllOf(fixture.ArrivedAt(pluginPath), fixture.InvoiceIs(kind, invoiceID)))
	event, err := got.Invoice(h.secret)
	require.NoError(t, err)
	require.Equal(t, h.id, event.WebhookID)
	require.Equal(t, h.shop.Account.Merchant.MerchantID, event.StoreID)
	require.False(t, event.IsRedelivery)
	require.Equal(t, event.DeliveryID, event.OriginalDeliveryID)
	return event
}

// redeliver has the delivery of an invoice's end made again.
func (n *nodeClient) redeliver(t *testing.T, h pluginHook, invoiceID string) {
	t.Helper()
	settled := h.await(t, "InvoiceSettled", invoiceID)
	at := of{"storeId": settled.StoreID, "webhookId": h.id, "deliveryId": settled.DeliveryID}
	var log []delivery
	eventually(t, "every delivery is recorded", func(context.Context) error {
		n.call(t, &log, "WebhooksService", "getWebhooksService", of{"storeId": settled.StoreID, "webhookId": h.id, "count": "50"})
		if slices.ContainsFunc(log, func(d delivery) bool { return d.Status != "HttpSuccess" }) {
			return fmt.Errorf("deliveries: %v", log)
		}
		return nil
	})
	require.Len(t, log, 5, "created, received, processing, payment settled, settled")
	var entry delivery
	n.call(t, &entry, "WebhooksService", "getWebhooksService1", at)
	require.Equal(t, 200, *entry.HTTPCode)
	var body fixture.InvoiceEvent
	n.call(t, &body, "WebhooksService", "getWebhooksService2", at)
	require.Equal(t, "InvoiceSettled", body.Type)

	var again string
	n.call(t, &again, "WebhooksService", "postWebhooksService1", at)
	got := h.shop.awaitRequest(t, func(q fixture.Request) bool {
		event, err := q.Invoice(h.secret)
		return err == nil && event.DeliveryID == again
	})
	event, err := got.Invoice(h.secret)
	require.NoError(t, err)
	require.NotEqual(t, settled.DeliveryID, again)
	require.Equal(t, settled.DeliveryID, event.OriginalDeliveryID)
	require.True(t, event.IsRedelivery)
	require.Equal(t, settled.Type, event.Type)
	require.JSONEq(t, `{"orderId":"N-2"}`, string(event.Metadata), "what the invoice has now")
}

// verifyStandard lets the public libraries verify a delivery of our own shape. They
// refuse one that is older than five minutes, so it is done at once.
func (s *shop) verifyStandard(t *testing.T, node *nodeClient, event, id string) {
	t.Helper()
	got := s.awaitRequest(t, fixture.AllOf(fixture.ArrivedAt(eventsPath), fixture.EventOf(event, id)))
	secret := "whsec_" + s.Webhook.Secret
	library, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	require.NoError(t, library.Verify(got.Body, got.Header))
	require.Error(t, library.Verify(append(slices.Clone(got.Body), ' '), got.Header))
	require.NoError(t, node.verify(t, secret, got))
	got.Body = append(slices.Clone(got.Body), ' ')
	require.EqualError(t, node.verify(t, secret, got), "WebhookVerificationError: No matching signature found")
}

// TestLifeOfAnInvoiceByAGeneratedClient does the same in short by a client that is
// generated from the document.
func TestLifeOfAnInvoiceByAGeneratedClient(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	program := generatedClient(t)
	key := s.connect(t, "A shop in Go", "btcpay.store.canmodifystoresettings", "btcpay.store.canviewinvoices", "btcpay.store.cancreateinvoice",
		"btcpay.store.canmodifyinvoices", "btcpay.store.cancreatenonapprovedpullpayments")
	buyer, err := s.testbed.Customer.NewAccount(within(t))
	require.NoError(t, err)
	run := program.start(t, s.testbed.url, key.APIKey, key.StoreID, s.Hooks.URL(pluginPath), buyer.Address)
	id := run.says(t, "made")
	c, err := s.Charge(within(t), id)
	require.NoError(t, err)
	s.pay(t, c)
	s.awaitRequest(t, fixture.AllOf(fixture.ArrivedAt(pluginPath), fixture.InvoiceIs("InvoiceProcessing", id)))
	s.mineUntil(t, "charge.confirmed", id)
	s.unlock(t)
	refundID, _, _ := strings.Cut(run.says(t, "claimed"), "-")
	asked(t, "the claim is approved", func(ctx context.Context) (clients.Refund, error) { return s.ApproveRefund(ctx, refundID) })
	s.grow(t, 11, "the refund is confirmed", func(ctx context.Context) error {
		r, err := s.Refund(ctx, refundID)
		if err == nil && r.Status != "completed" {
			err = fmt.Errorf("it is %s", r.Status)
		}
		return err
	})
	require.Equal(t, id, run.says(t, "done"))
	require.NoError(t, run.wait())
}

// TestAWrongPasswordConnectsNothing: the pages lead to no key.
func TestAWrongPasswordConnectsNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	_, err := clients.Connect(within(t), s.testbed.url, "A thief", clients.PluginMerchant{Email: s.Account.Merchant.Email, Password: "wrong"}, "btcpay.store.canviewinvoices")
	require.ErrorContains(t, err, "401")
}
