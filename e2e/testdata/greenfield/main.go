// Command greenfield lives through an invoice by a client that a generator made of
// openapi/greenfield-3.0.yaml, and through its refund. Arguments: base URL, key, store,
// URL of a webhook, address of the buyer. It prints the identifiers of the invoice and of
// the refund, waits each time until somebody has done the rest, and goes on.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"greenfield/client"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	live(ctx, os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5])
}

// require ends the program unless an answer is right.
func require(right bool, what string, err error, answer any) {
	if !right {
		fmt.Fprintf(os.Stderr, "%s: %v %+v\n", what, err, answer)
		os.Exit(1)
	}
}

func live(ctx context.Context, url, key, store, hookURL, buyer string) {
	c, err := client.NewClientWithResponses(url, client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "token "+key)
		return nil
	}))
	require(err == nil, "client", err, c)
	server, err := c.ServerInfoGetServerInfoWithResponse(ctx)
	require(err == nil && server.JSON200 != nil && server.JSON200.FullySynched, "server", err, server)
	stores, err := c.StoresGetStoresWithResponse(ctx)
	require(err == nil && stores.JSON200 != nil && len(*stores.JSON200) == 1 && (*stores.JSON200)[0].Id == store, "stores", err, stores)
	hook, err := c.WebhooksCreateWebhookWithResponse(ctx, store, client.Fields{Url: &hookURL})
	require(err == nil && hook.JSON200 != nil && len(hook.JSON200.Secret) == 64, "webhook", err, hook)
	id := sell(ctx, c, store)
	readLog(ctx, c, store, hook.JSON200.Id)
	giveBack(ctx, c, store, id, buyer)
	gone, err := c.WebhooksDeleteWebhookWithResponse(ctx, store, hook.JSON200.Id)
	require(err == nil && gone.StatusCode() == http.StatusOK, "delete", err, gone)
	none, err := c.WebhooksGetWebhookWithResponse(ctx, store, hook.JSON200.Id)
	require(err == nil && none.JSON404 != nil && none.JSON404.Code == "webhook-not-found", "a webhook that is gone", err, none)
	fmt.Println("done", id)
}

// sell makes an invoice, waits until it is paid, and describes it anew.
func sell(ctx context.Context, c *client.ClientWithResponses, store string) string {
	currency, meta := client.NewInvoiceCurrency("XMR"), map[string]any{"orderId": "G-1"}
	made, err := c.InvoicesCreateInvoiceWithResponse(ctx, store, client.NewInvoice{Amount: "0.05", Currency: &currency, Metadata: &meta})
	require(err == nil && made.JSON200 != nil && made.JSON200.Status == "New" && made.JSON200.Amount == "0.05", "invoice", err, made)
	id := made.JSON200.Id
	fmt.Println("made", id)
	for {
		now, err := c.InvoicesGetInvoiceWithResponse(ctx, store, id)
		require(err == nil && now.JSON200 != nil, "read", err, now)
		if now.JSON200.Status == "Settled" {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	paid, err := c.InvoicesGetInvoicePaymentMethodsWithResponse(ctx, store, id)
	require(err == nil && paid.JSON200 != nil && len(*paid.JSON200) == 1, "payment methods", err, paid)
	m := (*paid.JSON200)[0]
	require(m.TotalPaid == "0.05" && m.Due == "0" && len(*m.Payments) == 1 && (*m.Payments)[0].Status == "Settled", "payments", nil, m)
	list, err := c.InvoicesGetInvoicesWithResponse(ctx, store, &client.InvoicesGetInvoicesParams{OrderId: &[]string{"G-1"}})
	require(err == nil && list.JSON200 != nil && len(*list.JSON200) == 1 && (*list.JSON200)[0].Id == id, "list", err, list)
	told, err := c.InvoicesUpdateInvoiceWithResponse(ctx, store, id, client.NewMetadata{Metadata: map[string]any{"orderId": "G-2"}})
	require(err == nil && told.JSON200 != nil && told.JSON200.Metadata["orderId"] == "G-2", "metadata", err, told)
	return id
}

// giveBack refunds a part of an invoice, claims it for the buyer, and waits until it is
// paid.
func giveBack(ctx context.Context, c *client.ClientWithResponses, store, id, buyer string) {
	variant, amount, currency := client.NewRefundRefundVariant("Custom"), "0.01", "XMR"
	made, err := c.InvoicesRefundInvoiceWithResponse(ctx, store, id, client.NewRefund{
		RefundVariant: &variant, CustomAmount: &amount, CustomCurrency: &currency,
	})
	require(err == nil && made.JSON200 != nil && made.JSON200.Amount == amount, "refund", err, made)
	pull := made.JSON200.Id
	claim, err := c.PullPaymentsCreatePayoutWithResponse(ctx, pull, client.NewPayout{Destination: &buyer})
	require(err == nil && claim.JSON200 != nil && claim.JSON200.State == "AwaitingApproval", "claim", err, claim)
	fmt.Println("claimed", pull)
	for {
		now, err := c.PullPaymentsGetPayoutWithResponse(ctx, pull, claim.JSON200.Id)
		require(err == nil && now.JSON200 != nil, "payout", err, now)
		if now.JSON200.State == "Completed" {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// readLog looks at the log of a webhook until all was delivered, and has one delivery
// made again.
func readLog(ctx context.Context, c *client.ClientWithResponses, store, hook string) {
	var last client.Delivery
	for {
		log, err := c.WebhooksGetWebhookDeliveriesWithResponse(ctx, store, hook, nil)
		require(err == nil && log.JSON200 != nil, "deliveries", err, log)
		all := *log.JSON200
		if len(all) >= 5 && !slices.ContainsFunc(all, func(d client.Delivery) bool { return d.Status != "HttpSuccess" }) {
			last = all[0]
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	again, err := c.WebhooksRedeliverWebhookDeliveryWithResponse(ctx, store, hook, last.Id)
	require(err == nil && again.JSON200 != nil && *again.JSON200 == last.Id+"-2", "redelivery", err, again)
	one, err := c.WebhooksGetWebhookDeliveryWithResponse(ctx, store, hook, *again.JSON200)
	require(err == nil && one.JSON200 != nil && one.JSON200.Id == *again.JSON200, "delivery", err, one)
}
