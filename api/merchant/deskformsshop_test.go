package merchant_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider/providertest"
)

// takesTooLittle makes a charge, accepts half of its amount, and switches its link off and on.
func (f *formBench) takesTooLittle(t *testing.T) {
	f.opens(t, "/ask")
	f.isRefused(t, "/ask", filled{"amount": "two"}, http.StatusBadRequest, "This is not an amount")
	f.press(t, "/ask", filled{"amount": "1", "currency": "XMR", "description": "Two tickets", "order_id": "A-1"}, "1 XMR", "Awaiting payment", "A-1 · Two tickets")
	f.paid = f.idAt(t)
	here := "/charges/" + f.paid
	f.receive(t, f.paid, money.OneXMR/2)
	f.opens(t, here, "0.5 XMR of 1 XMR received")
	f.press(t, here+"/accept-underpaid", nil, "Done.", "Paid")
	f.press(t, here+"/toggle-active", nil, "Done.", "Switch on")
	f.press(t, here+"/toggle-active", nil, "Done.", "Switch off")
	f.exec(t, "UPDATE received_payments SET mature = true WHERE charge_id = $1", f.paid)
}

// refunds makes a refund that is claimed and approved, and one that is cancelled.
func (f *formBench) refunds(t *testing.T) {
	here := "/charges/" + f.paid
	f.opens(t, here)
	f.press(t, here+"/refunds", filled{"variant": "Custom", "amount": "0.2", "currency": "XMR", "name": "Anna"}, "Refund link", "0.2 XMR")
	link := f.linked(t)
	f.opens(t, link, "Anna")
	f.isRefused(t, link, filled{"address": "4abc"}, http.StatusBadRequest, "address")
	f.press(t, link, filled{"address": payoutAddress})
	refund := strings.Split(link, "/")[2]
	f.opens(t, "/refunds", "Awaiting your approval", "Anna")
	f.press(t, "/refunds/"+refund+"/approve", nil, "Done.")
	require.NotContains(t, f.text(t), "Awaiting your approval")
	f.opens(t, here)
	f.press(t, here+"/refunds", filled{"variant": "Custom", "amount": "0.1", "currency": "XMR"}, "Refund link", "0.1 XMR")
	refund = strings.Split(f.linked(t), "/")[2]
	f.opens(t, "/refunds")
	f.press(t, "/refunds/"+refund+"/cancel", nil, "Done.", "Cancelled")
}

// sellsAtTheTill types an amount, and waits with the customer until it is paid.
func (f *formBench) sellsAtTheTill(t *testing.T) {
	f.opens(t, "/till")
	for _, digit := range []string{"1", "7"} {
		key := formAt("/till") + " button[value='" + digit + "']"
		answer, err := chromedp.RunResponse(f.tab, chromedp.Click(chromedp.CSS(key)))
		require.NoError(t, err)
		require.EqualValues(t, http.StatusOK, answer.Status)
	}
	f.press(t, "/till", filled{"currency": "USD"}, "17.00 USD", "Awaiting payment")
	sale := f.idAt(t)
	f.receive(t, sale, money.Piconero(rowsOf[int64](t, f.bench, "SELECT amount_piconero FROM charges WHERE id = '"+sale+"'")[0]))
	f.showsAtLast(t, " received")
	require.Equal(t, "/till/"+sale, f.where(t))
}

// asksByLink makes a payment request, switches it off and deletes it.
func (f *formBench) asksByLink(t *testing.T) {
	f.opens(t, "/payment-requests")
	f.press(t, "/payment-requests", filled{"amount": "40.50", "currency": "EUR", "description": "A lesson", "reference": "L-1"}, "Payment request of 40.50 EUR", "A lesson", "L-1")
	here := f.where(t)
	f.press(t, here+"/toggle", nil, "Done.", "Off")
	f.press(t, here+"/delete", nil, "Done.", "No payment requests yet")
}

// sweeps pays out the amount that the page has estimated.
func (f *formBench) sweeps(t *testing.T) {
	f.comesToShow(t, "/payouts", "Sent") // the payout that pays the refund
	f.settled(t, f.owner)
	f.opens(t, "/payouts", "You receive", "everything that is paid and not locked")
	f.press(t, "/payouts/sweep", nil, "Done.")
	sent := rowsOf[string](t, f.bench, "SELECT tx_hash FROM payouts WHERE claim_id IS NULL AND status = 'broadcast' AND merchant_id = '"+f.owner.id+"'")
	require.Len(t, sent, 1)
	require.Contains(t, f.text(t), sent[0])
}

// reports turns reports on and downloads the file.
func (f *formBench) reports(t *testing.T) {
	f.opens(t, "/reports", "Reports are off")
	f.press(t, "/reports", filled{"currency": "EUR"}, "Done.", "Paid charges")
	f.comesFile(t, "a[href^='/reports/transactions.csv']", "text/csv")
}

// swaps asks for quotes and accepts one, then turns automatic conversion on and off.
func (f *formBench) swaps(t *testing.T) {
	f.opens(t, "/swaps")
	asking := "form[method='get'][action='/swaps']"
	f.fill(t, asking, filled{"to": "ltc", "amount": "1.5"})
	answer, err := chromedp.RunResponse(f.tab, chromedp.Click(chromedp.CSS(asking+" button")))
	require.NoError(t, err)
	f.came(t, "quotes", answer, []string{"2.9 LTC"})
	f.press(t, "/swaps", filled{"address": providertest.Payout}, "Awaiting your payment", "1.5 XMR", providertest.Deposit)
	f.opens(t, "/swaps", "1.5 XMR")
	f.isRefused(t, "/swaps/auto", filled{"enabled": "on", "currency": "btc", "auto_address": "x"}, http.StatusBadRequest, "This is not an address of btc")
	f.press(t, "/swaps/auto", filled{"currency": "ltc", "auto_address": litecoinAddress}, "Done.", "Currently ltc1qw…")
	f.press(t, "/swaps/auto", filled{"enabled": "on"}, "Done.")
	require.NotContains(t, f.text(t), "Currently ltc1qw…")
}

// receivesEvents sends a test event to a webhook, opens the delivery, and requests its
// redelivery.
func (f *formBench) receivesEvents(t *testing.T) {
	to, got := receiver(t, http.StatusNoContent)
	f.opens(t, "/webhooks", "No webhooks yet")
	f.press(t, "/webhooks", filled{"url": to}, "Signing secret", to)
	hook := rowsOf[string](t, f.bench, "SELECT id FROM webhooks WHERE merchant_id = '"+f.owner.id+"'")[0]
	f.opens(t, "/webhooks", to, "charge.confirmed, charge.late_confirmed, charge.expired")
	f.press(t, "/webhooks/"+hook+"/test", nil, "ping")
	require.Contains(t, await(t, got).body, `"ping"`)
	f.comesToShow(t, "/deliveries?webhook="+hook, "Delivered")
	delivery := rowsOf[string](t, f.bench, "SELECT id FROM deliveries WHERE webhook_id = '"+hook+"'")[0]
	f.opens(t, "/deliveries/"+delivery, "Delivered", `"ping"`)
	f.pressUntilTaken(t, "/deliveries/"+delivery+"/redeliver", "Done.")
	require.Contains(t, await(t, got).body, `"ping"`)
	f.opens(t, "/webhooks")
	f.press(t, "/webhooks/"+hook+"/delete", nil, "Done.", "No webhooks yet")
}

// retriesInTheSandbox lets a webhook of the sandbox fail, and triggers its next attempt.
func (f *formBench) retriesInTheSandbox(t *testing.T) {
	to, got := receiver(t, http.StatusTeapot)
	f.opens(t, "/webhooks", "No webhooks yet", "receives sandbox events only")
	f.press(t, "/webhooks", filled{"url": to}, "Signing secret", to)
	_, err := f.store.Pool().Exec(t.Context(), "UPDATE webhooks SET retries = 'long' WHERE merchant_id = $1", f.owner.id) // so that it is still pending when the page is opened
	require.NoError(t, err)
	f.opens(t, "/ask")
	f.press(t, "/ask", filled{"amount": "3", "currency": "XMR"}, "3 XMR", "Awaiting payment")
	here := f.where(t)
	f.press(t, here+"/test/expire", nil, "Done.")
	require.Contains(t, await(t, got).body, `"charge.expired"`)
	f.comesToShow(t, here, "Retry webhooks now")
	f.press(t, here+"/retry-deliveries", nil, "Done.")
	require.Contains(t, await(t, got).body, `"charge.expired"`)
}

// handlesKeys creates a key for an application and revokes it, and replaces the account's own
// key.
func (f *formBench) handlesKeys(t *testing.T) {
	f.opens(t, "/keys")
	f.isRefused(t, "/keys", filled{"label": "Shop", "preset": "own"}, http.StatusBadRequest, "Choose at least one permission")
	f.press(t, "/keys", filled{"permissions": "btcpay.store.canviewinvoices"}, "You will not see it again")
	f.opens(t, "/keys", "Shop", "does not delete the webhooks")
	key := rowsOf[string](t, f.bench, "SELECT id FROM scoped_keys WHERE merchant_id = '"+f.owner.id+"'")[0]
	f.press(t, "/keys/"+key+"/revoke", nil, "Done.", "No app keys yet")
	f.press(t, "/keys/regenerate", nil, "You will not see it again", "cm_test_")
	f.owner.test = f.read(t, ".copy")
}

// triesTheSandbox pays a charge by buttons.
func (f *formBench) triesTheSandbox(t *testing.T) {
	f.opens(t, "/")
	f.press(t, "/mode", nil, "This is the sandbox")
	f.opens(t, "/ask")
	f.press(t, "/ask", filled{"amount": "2", "currency": "XMR"}, "2 XMR", "Awaiting payment")
	here := f.where(t)
	f.press(t, here+"/test/half", nil, "Done.", "1 XMR of 2 XMR received")
	f.press(t, here+"/test/pay", nil, "Done.")
	f.press(t, here+"/test/confirm", nil, "Done.")
	f.comesToShow(t, here, "10 of 10")
	f.retriesInTheSandbox(t)
	f.opens(t, "/charges")
	f.press(t, "/mode", nil, "Balance")
}
