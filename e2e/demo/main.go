// Command demo takes payments and makes swaps from end to end on the development
// stack and checks every step. A merchant signs up, a customer pays a charge, the
// merchant receives the events and is paid out. Then a customer clicks on the
// merchant's payment button in a browser without script, fills in the form and
// pays. The merchant connects a plugin of a shop, which sells through the
// Greenfield surface and gives half of the money back by a link. Last, a partner of
// the exchange has Monero swapped for Litecoin and back, from the quote to the
// arrival on the other chain, and receives each status. demo exits with 0 only if
// every check passed. `make demo` starts the stack first.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

const timeout = 10 * time.Minute

func main() {
	os.Exit(fixture.Main("demo", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		d, err := open(ctx)
		if err != nil {
			return err
		}
		return errors.Join(d.playAll(ctx), d.close())
	}))
}

type demo struct {
	*fixture.Fixture

	shop    *fixture.Shop
	charge  clients.Charge
	payment fixture.Sent
	payout  clients.Payout

	// The second step: the customer's browser, the merchant's web site, and
	// the charge of its button.
	browser *fixture.Browser
	site    *httptest.Server
	bought  clients.Charge

	// The steps of the exchange: its partner, and one swap in each direction.
	partner              clients.Partner
	toLitecoin, toMonero *swap
}

// open finds the development stack, its customer, and opens the receivers.
func open(ctx context.Context) (*demo, error) {
	running, err := stack.Open(stack.Options{Dir: ".dev", Env: stack.CallerEnv()})
	if err != nil {
		return nil, err
	}
	urls := running.Env()
	for _, key := range []string{
		"MERCHANT_URL", "OPERATOR_DESK_URL", "SWAP_URL", "MONEROD_RPC_URL", "LITECOIN_RPC_URL", "CUSTOMER_WALLET_RPC_URL", "TEMPORAL_UI_URL",
	} {
		if urls[key] == "" {
			return nil, fmt.Errorf("there is no %s: a part of the stack is down, run `make up`", key)
		}
	}
	d := &demo{Fixture: &fixture.Fixture{Stack: running}}
	d.toLitecoin = &swap{demo: d, from: fixture.Monero, to: fixture.Litecoin, amount: money.MustDecimal("0.5")}
	d.toMonero = &swap{demo: d, from: fixture.Litecoin, to: fixture.Monero, amount: money.MustDecimal("1")}
	return d, d.Meet(ctx, urls)
}

func (d *demo) close() error {
	err := d.Close()
	if d.browser != nil {
		err = errors.Join(err, d.browser.Close())
	}
	if d.site != nil {
		d.site.Close()
	}
	return err
}

func (d *demo) playAll(ctx context.Context) error {
	return play(ctx, []step{
		{"A merchant takes a payment and is paid out", []action{
			{"A merchant signs up", d.signUp},
			{"The merchant says where the money should go and where to send events", d.setUp},
			{"The merchant creates a charge of 12.34 USD", d.createCharge},
			{"The customer opens the payment page", d.openPage},
			{"The customer pays from a Monero wallet", d.pay},
			{"Blocks are mined, and the charge is confirmed", d.confirm},
			{"After 10 blocks the money can be spent", d.unlock},
			{"The merchant sweeps the balance to the payout address", d.sweep},
			{"The payout is mined and arrives", d.arrive},
			{"The delivery log has each event once", d.checkLog},
		}},
		{"A merchant sells with a button, without a program", []action{
			{"A merchant makes a payment button of 8.50 USD", d.buildButton},
			{"A customer clicks on the button", d.clickButton},
			{"The customer fills in the details that the merchant asks for", d.fillIn},
			{"The customer pays what the page shows", d.payAsShown},
			{"The charge is confirmed, and the merchant hears who bought", d.confirmBought},
		}},
		d.pluginStep(),
		d.toLitecoin.step(action{"The operator issues a partner key", d.issueKey}),
		d.toMonero.step(),
		d.conversionStep(),
		{"The end", []action{{"To look around", d.showAround}}},
	})
}

func (d *demo) signUp(ctx context.Context) {
	d.shop = fixture.Must(d.SignUp(ctx, "Demo shop"))
	fixture.Sayf("merchant %s, API keys for production and sandbox", d.shop.Account.Merchant.MerchantID)
	fixture.Requiref(d.shop.Account.APIKeys.Production != "", "there is no production key")
}

func (d *demo) setUp(ctx context.Context) {
	fixture.Do(d.shop.PayOutTo(ctx, d.Customer))
	fixture.Sayf("payout address %s…", d.shop.Wallet.Address[:12])
	d.shop.Webhook = fixture.Must(d.shop.CreateWebhook(ctx, d.Hooks.URL("/events"), clients.AllEvents()...))
	fixture.Sayf("webhook %s to %s", d.shop.Webhook.ID, d.shop.Webhook.URL)
}

func (d *demo) createCharge(ctx context.Context) {
	d.charge = fixture.Must(d.shop.CreateCharge(ctx, clients.NewCharge{
		Amount: money.MustDecimal("12.34"), Currency: "USD",
		Metadata: []byte(`{"order_id":"1001","description":"A bag of coffee"}`),
	}))
	fixture.Sayf("charge %s asks for %s XMR (1 XMR = %s USD)", d.charge.ID, d.charge.AmountXMR, d.charge.XMRRate)
	fixture.Sayf("payment page %s", d.charge.PaymentURL)
	d.awaitEvent(ctx, "charge.created", d.charge.ID)
}

func (d *demo) openPage(ctx context.Context) {
	page := fetch(ctx, d.charge.PaymentURL, "")
	fixture.Requiref(contains(page, d.charge.Subaddress), "the page does not show the address")
	fixture.Requiref(contains(page, d.charge.AmountXMR.String()), "the page does not show the amount")
	fixture.Sayf("its HTML shows the address and the amount, no script needed")
}

func (d *demo) pay(ctx context.Context) {
	d.payment = fixture.Must(d.Customer.Pay(ctx, fixture.Outputs(d.charge)...))
	fixture.Sayf("transaction %s", d.payment.Hash)
	d.awaitEvent(ctx, "charge.pending", d.charge.ID)
	now := fixture.Must(d.shop.Charge(ctx, d.charge.ID))
	fixture.Sayf("the charge is %s and %s", now.Status, now.PaymentState)
	fixture.Requiref(len(now.Payments) == 1 && now.Payments[0].TxHash == d.payment.Hash, "another payment is shown")
}

func (d *demo) confirm(ctx context.Context) {
	fixture.Do(d.Chain.MineInto(ctx, d.payment.Hash))
	fixture.Do(d.Chain.Mine(ctx, d.charge.ConfirmationsRequired-1))
	d.awaitEvent(ctx, "charge.confirmed", d.charge.ID)
	now := fixture.Must(d.shop.Charge(ctx, d.charge.ID))
	fixture.Sayf("the charge is %s with %d confirmations of %d", now.Status, now.Confirmations, now.ConfirmationsRequired)
	fixture.Requiref(now.Status == "confirmed" && now.AmountReceivedXMR == d.charge.AmountXMR,
		"%s XMR received, status %s", now.AmountReceivedXMR, now.Status)
}

// showAround ends the demo with what a person would open next.
func (d *demo) showAround(ctx context.Context) {
	ui := d.URLs["TEMPORAL_UI_URL"]
	workflows := ui + "/namespaces/default/workflows"
	tokenFile := d.URLs["CODEC_TOKEN_FILE"]
	token := fixture.Must(os.ReadFile(tokenFile))
	query := url.QueryEscape(fmt.Sprintf("MerchantId = %q", d.shop.Account.Merchant.MerchantID))
	for _, place := range [][2]string{
		{"payment page", d.charge.PaymentURL},
		{"payment page of the button", d.bought.PaymentURL},
		{"payment page in Arabic", d.bought.PaymentURL + "?lang=ar"},
		{"builder of buttons", d.URLs["MERCHANT_URL"] + "/button"},
		{"API documentation", d.URLs["MERCHANT_URL"] + "/docs"},
		{"workflows of this merchant", workflows + "?query=" + query},
		{"workflow of the charge", workflows + "/charge-" + d.charge.ID},
		{"swap from Monero to Litecoin", d.URLs["SWAP_URL"] + "/api/v1/trade?id=" + d.toLitecoin.ID},
		{"swap from Litecoin to Monero", d.URLs["SWAP_URL"] + "/api/v1/trade?id=" + d.toMonero.ID},
		{"its workflow", workflows + "/trade-" + d.toMonero.ID},
		{"documentation of the swap API", d.URLs["SWAP_URL"] + "/docs"},
	} {
		shown := ""
		if strings.HasPrefix(place[1], ui+"/") {
			shown = strings.TrimSpace(string(token))
		}
		fetch(ctx, place[1], shown)
		fmt.Printf("    %-30s %s\n", place[0], place[1])
	}
	fmt.Printf("    workflows ask for the token in %s\n", tokenFile)
	d.showDesk(ctx)
	d.showOperatorsDesk(ctx)
}

// step is a part of the demo that could run alone, but for who the
// people are.
type step struct {
	title   string
	actions []action
}

type action struct {
	title string
	run   func(context.Context)
}

func play(ctx context.Context, steps []step) error {
	n := 0
	for _, step := range steps {
		fmt.Printf("\n━━ %s\n", step.title)
		for _, action := range step.actions {
			n++
			fmt.Printf("\n%2d. %s\n", n, action.title)
			if err := fixture.Try(func() { action.run(ctx) }); err != nil {
				return fmt.Errorf("step %d, %s: %w", n, action.title, err)
			}
		}
	}
	fmt.Println("\nEverything was checked.")
	return nil
}

func (d *demo) awaitEvent(ctx context.Context, event, id string) {
	fixture.Must(d.shop.AwaitEvent(ctx, event, id))
	fixture.Sayf("event %s arrived, its signature is right", event)
}
