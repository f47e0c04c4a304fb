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
	err := live(ctx, os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func live(ctx context.Context, url, key, store, hookURL, buyer string) error {
	c, err := client.NewClientWithResponses(url, client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "token "+key)
		return nil
	}))
	if err != nil {
		return err
	}
	server, err := c.ServerInfoGetServerInfoWithResponse(ctx)
	if err != nil || server.JSON200 == nil || !server.JSON200.FullySynched {
		return fmt.Errorf("server: %w %+v", err, server)
	}
	stores, err := c.StoresGetStoresWithResponse(ctx)
	if err != nil || stores.JSON200 == nil || len(*stores.JSON200) != 1 || (*stores.JSON200)[0].Id != store {
		return fmt.Errorf("stores: %w %+v", err, stores)
	}
	hook, err := c.WebhooksCreateWebhookWithResponse(ctx, store, client.Fields{Url: &hookURL})
	if err != nil || hook.JSON200 == nil || len(hook.JSON200.Secret) != 64 {
		return fmt.Errorf("webhook: %w %+v", err, hook)
	}
	id, err := sell(ctx, c, store)
	if err != nil {
		return err
	}
	if err := readLog(ctx, c, store, hook.JSON200.Id); err != nil {
		return err
	}
	if err := giveBack(ctx, c, store, id, buyer); err != nil {
		return err
	}
	gone, err := c.WebhooksDeleteWebhookWithResponse(ctx, store, hook.JSON200.Id)
	if err != nil || gone.StatusCode() != http.StatusOK {
		return fmt.Errorf("delete: %w %+v", err, gone)
	}
	none, err := c.WebhooksGetWebhookWithResponse(ctx, store, hook.JSON200.Id)
	if err != nil || none.JSON404 == nil || none.JSON404.Code != "webhook-not-found" {
		return fmt.Errorf("a webhook that is gone: %w %+v", err, none)
	}
	fmt.Println("done", id)
	return nil
}

// sell makes an invoice, waits until it is paid, and describes it anew.
func sell(ctx context.Context, c *client.ClientWithResponses, store string) (string, error) {
	currency, meta := client.NewInvoiceCurrency("XMR"), map[string]any{"orderId": "G-1"}
	made, err := c.InvoicesCreateInvoiceWithResponse(ctx, store, client.NewInvoice{Amount: "0.05", Currency: &currency, Metadata: &meta})
	if err != nil || made.JSON200 == nil || made.JSON200.Status != "New" || made.JSON200.Amount != "0.05" {
		return "", fmt.Errorf("invoice: %w %+v", err, made)
	}
	id := made.JSON200.Id
	fmt.Println("made", id)
	for {
		now, err := c.InvoicesGetInvoiceWithResponse(ctx, store, id)
		if err != nil || now.JSON200 == nil {
			return "", fmt.Errorf("read: %w %+v", err, now)
		}
		if now.JSON200.Status == "Settled" {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	paid, err := c.InvoicesGetInvoicePaymentMethodsWithResponse(ctx, store, id)
	if err != nil || paid.JSON200 == nil || len(*paid.JSON200) != 1 {
		return "", fmt.Errorf("payment methods: %w %+v", err, paid)
	}
	if m := (*paid.JSON200)[0]; m.TotalPaid != "0.05" || m.Due != "0" || len(*m.Payments) != 1 || (*m.Payments)[0].Status != "Settled" {
		return "", fmt.Errorf("payments: %+v", m)
	}
	list, err := c.InvoicesGetInvoicesWithResponse(ctx, store, &client.InvoicesGetInvoicesParams{OrderId: &[]string{"G-1"}})
	if err != nil || list.JSON200 == nil || len(*list.JSON200) != 1 || (*list.JSON200)[0].Id != id {
		return "", fmt.Errorf("list: %w %+v", err, list)
	}
	told, err := c.InvoicesUpdateInvoiceWithResponse(ctx, store, id, client.NewMetadata{Metadata: map[string]any{"orderId": "G-2"}})
	if err != nil || told.JSON200 == nil || told.JSON200.Metadata["orderId"] != "G-2" {
		return "", fmt.Errorf("metadata: %w %+v", err, told)
	}
	return id, nil
}

// giveBack refunds a part of an invoice, claims it for the buyer, and waits until it is
// paid.
func giveBack(ctx context.Context, c *client.ClientWithResponses, store, id, buyer string) error {
	variant, amount, currency := client.NewRefundRefundVariant("Custom"), "0.01", "XMR"
	made, err := c.InvoicesRefundInvoiceWithResponse(ctx, store, id, client.NewRefund{
		RefundVariant: &variant, CustomAmount: &amount, CustomCurrency: &currency,
	})
	if err != nil || made.JSON200 == nil || made.JSON200.Amount != amount {
		return fmt.Errorf("refund: %w %+v", err, made)
	}
	pull := made.JSON200.Id
	claim, err := c.PullPaymentsCreatePayoutWithResponse(ctx, pull, client.NewPayout{Destination: &buyer})
	if err != nil || claim.JSON200 == nil || claim.JSON200.State != "AwaitingApproval" {
		return fmt.Errorf("claim: %w %+v", err, claim)
	}
	fmt.Println("claimed", pull)
	for {
		now, err := c.PullPaymentsGetPayoutWithResponse(ctx, pull, claim.JSON200.Id)
		if err != nil || now.JSON200 == nil {
			return fmt.Errorf("payout: %w %+v", err, now)
		}
		if now.JSON200.State == "Completed" {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	return nil
}

// readLog looks at the log of a webhook until all was delivered, and has one delivery
// made again.
func readLog(ctx context.Context, c *client.ClientWithResponses, store, hook string) error {
	var last client.Delivery
	for {
		log, err := c.WebhooksGetWebhookDeliveriesWithResponse(ctx, store, hook, nil)
		if err != nil || log.JSON200 == nil {
			return fmt.Errorf("deliveries: %w %+v", err, log)
		}
		all := *log.JSON200
		if len(all) >= 5 && !slices.ContainsFunc(all, func(d client.Delivery) bool { return d.Status != "HttpSuccess" }) {
			last = all[0]
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	again, err := c.WebhooksRedeliverWebhookDeliveryWithResponse(ctx, store, hook, last.Id)
	if err != nil || again.JSON200 == nil || *again.JSON200 != last.Id+"-2" {
		return fmt.Errorf("redelivery: %w %+v", err, again)
	}
	one, err := c.WebhooksGetWebhookDeliveryWithResponse(ctx, store, hook, *again.JSON200)
	if err != nil || one.JSON200 == nil || one.JSON200.Id != *again.JSON200 {
		return fmt.Errorf("delivery: %w %+v", err, one)
	}
	return nil
}
