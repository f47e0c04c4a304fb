package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/url"
	"os/exec"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

func (d *demo) unlock(ctx context.Context) {
	fixture.Do(d.Chain.Mine(ctx, fixture.UnlockBlocks))
	balance := fixture.Must(d.shop.Unlocked(ctx, 1))
	fixture.Sayf("%d charge is unpaid: %s XMR", balance.UnpaidCharges, balance.TotalXMR)
	fixture.Requiref(balance.TotalXMR == d.charge.AmountXMR, "the balance is not the charge's amount")
}

func (d *demo) sweep(ctx context.Context) {
	d.payout = fixture.Must(d.shop.Sweep(ctx))
	p := d.payout
	fixture.Sayf("payout %s: %s XMR to the merchant, %s XMR to the chain", p.PayoutID, p.AmountXMR, p.NetworkFeeXMR)
	gross := fixture.Must(money.Sum(p.AmountXMR, p.FeeXMR, p.NetworkFeeXMR))
	fixture.Requiref(gross == d.charge.AmountXMR && p.ChargesPaid == 1, "the sums do not match")
	d.known(ctx, *p.TxHash)
	d.awaitEvent(ctx, "payout.sent", p.PayoutID)
}

// known shows where a transaction is, of which the daemon must know.
func (d *demo) known(ctx context.Context, hash string) {
	found := fixture.Must(d.Chain.Where(ctx, hash))
	fixture.Requiref(found.State != monero.Missed, "the daemon does not know %s", hash)
	fixture.Sayf("the daemon has transaction %s, %s", hash, place(found))
}

// place is where a transaction is, in words.
func place(tx monero.TxStatus) string {
	if tx.State == monero.InPool {
		return "in its pool"
	}
	return fmt.Sprintf("in block %d", tx.Height)
}

func (d *demo) arrive(ctx context.Context) {
	fixture.Do(d.Chain.MineInto(ctx, *d.payout.TxHash))
	found := fixture.Must(d.Chain.Where(ctx, *d.payout.TxHash))
	fixture.Requiref(found.State == monero.Mined, "the payout is not in a block")
	fixture.Sayf("its transaction is %s", place(found))
	receipts := fixture.Must(d.shop.Wallet.Receipts(ctx))
	fixture.Requiref(len(receipts) == 1 && receipts[0].TxHash == *d.payout.TxHash &&
		receipts[0].Amount == d.payout.AmountXMR, "the payout address received %v", receipts)
	fixture.Sayf("the payout address received %s XMR, as booked", receipts[0].Amount)
}

func (d *demo) checkLog(ctx context.Context) {
	want := map[string]int{"charge.created": 1, "charge.pending": 1, "charge.confirmed": 1, "payout.sent": 1}
	fixture.Wait(ctx, "every delivery is recorded", func() bool {
		got := map[string]int{}
		for _, entry := range fixture.Must(d.shop.DeliveriesOf(ctx, d.shop.Webhook.ID)) {
			if entry.Status == "delivered" {
				got[entry.Event]++
			}
		}
		return maps.Equal(got, want)
	})
	fixture.Sayf("charge.created, charge.pending, charge.confirmed, payout.sent: delivered")
}

// fetch reads a page as a browser without script does. It sends a token to a page that
// asks for one.
func fetch(ctx context.Context, url, token string) string {
	header := map[string]string{}
	if token != "" {
		header["Authorization"] = "Bearer " + token
	}
	page, _ := fixture.Must2(clients.Fetch(ctx, nil, url, header))
	return page
}

func contains(page, text string) bool { return strings.Contains(html.UnescapeString(page), text) }

// showOperatorsDesk makes an operator's account, logs in at the operators' desk, and
// prints how a person logs in there: with the password and a backup code, each good once.
func (d *demo) showOperatorsDesk(ctx context.Context) {
	operator := fixture.Must(d.SignUp(ctx, "Demo operator"))
	email, password := operator.Account.Merchant.Email, operator.Password
	if out, err := exec.CommandContext(ctx, "go", "run", "./deploy/dev", "admin", "grant", email).CombinedOutput(); err != nil {
		fixture.Failf("admin grant: %w: %s", err, out)
	}
	codes := fixture.Must(operator.SecondFactor(ctx))
	desk := d.URLs["OPERATOR_DESK_URL"]
	page, _ := fixture.Must2(clients.LogInAtDesk(ctx, desk+"log-in", url.Values{"email": {email}, "password": {password}, "code": {codes[0]}}))
	fixture.Requiref(strings.Contains(page, "Log out"), "the operators' desk does not let an operator in: %s", page)
	fmt.Printf("\n    The operators' desk: %s\n    email %s, password %s\n    codes, each good once: %s\n", desk, email, password, strings.Join(codes[1:4], ", "))
}

// showDesk ends with a login at the merchants' desk that works: it logs in there and
// finds the charge.
func (d *demo) showDesk(ctx context.Context) {
	desk := d.URLs["MERCHANT_URL"]
	page, _ := fixture.Must2(clients.LogInAtDesk(ctx, desk+"/log-in", url.Values{"email": {d.shop.Account.Merchant.Email}, "password": {d.shop.Password}, "next": {"/charges"}}))
	fixture.Requiref(strings.Contains(page, d.charge.ID), "the desk does not show charge %s after a login", d.charge.ID)
	fmt.Printf("\n    The merchants' desk: %s/\n    email %s, password %s\n", desk, d.shop.Account.Merchant.Email, d.shop.Password)
}

// buyer is what the customer of the second step fills in.
func buyer() map[string]string {
	return map[string]string{"email": "buyer@example.com", "shipping_note": "Leave it at the door"}
}

func (d *demo) buildButton(ctx context.Context) {
	d.browser = fixture.Must(fixture.OpenBrowser(ctx, "en"))
	fixture.Do(d.browser.Visit(d.URLs["MERCHANT_URL"] + "/button"))
	for _, input := range [][2]string{
		{"#merchant_id", d.shop.Account.Merchant.MerchantID}, {"#amount", "8.50"}, {"#description", "A pot of tea"},
		{"#fields", "email, shipping_note"},
	} {
		fixture.Do(d.browser.Type(input[0], input[1]))
	}
	fixture.Do(errors.Join(d.browser.Click("form[action='/button'] button"), d.browser.Await("#snippet")))
	snippet := fixture.Must(d.browser.Text("#snippet"))
	fixture.Sayf("the builder's page gives this HTML:")
	for line := range strings.Lines(snippet) {
		fmt.Print("        ", line)
	}
	fmt.Println()
	d.site = fixture.HostSite("Tea room", snippet)
	fixture.Sayf("the merchant's own page with this HTML and nothing else: %s", d.site.URL)
	fixture.Requiref(!strings.Contains(snippet, "<script"), "the button has a script")
}

func (d *demo) clickButton(ctx context.Context) {
	fixture.Do(errors.Join(d.browser.Visit(d.site.URL), d.browser.Click("form button"), d.browser.Await("#field-email")))
	address := fixture.Must(d.browser.Address())
	fixture.Sayf("Chromium, its scripts switched off, is at %s", address)
	id, found := strings.CutPrefix(address, d.URLs["MERCHANT_URL"]+"/pay/")
	fixture.Requiref(found, "this is not a payment page")
	d.bought = fixture.Must(d.shop.Charge(ctx, id))
	fixture.Sayf("charge %s of the button asks for %s USD", d.bought.ID, d.bought.Amount)
	fixture.Requiref(d.bought.Source == "button", "its source is %s", d.bought.Source)
	d.awaitEvent(ctx, "charge.created", d.bought.ID)
}

func (d *demo) fillIn(context.Context) {
	for name, value := range buyer() {
		fixture.Do(d.browser.Type("#field-"+name, value))
	}
	fixture.Do(errors.Join(d.browser.Click("section.details button"), d.browser.Await("p.details")))
	fixture.Sayf("the page says: %s", fixture.Must(d.browser.Text("p.details")))
}

// payAsShown pays what the page shows, and nothing that the API told.
func (d *demo) payAsShown(ctx context.Context) {
	address := fixture.Must(d.browser.Text("#address"))
	amount := fixture.Must(money.ParseXMR(fixture.Must(d.browser.Text("#amount"))))
	d.payment = fixture.Must(d.Customer.Pay(ctx, fixture.Output{Address: address, Amount: amount}))
	fixture.Sayf("%s XMR to %s…, transaction %s", amount, address[:12], d.payment.Hash)
	d.awaitEvent(ctx, "charge.pending", d.bought.ID)
}

func (d *demo) confirmBought(ctx context.Context) {
	fixture.Do(d.Chain.MineInto(ctx, d.payment.Hash))
	fixture.Do(d.Chain.Mine(ctx, d.bought.ConfirmationsRequired-1))
	got := fixture.Must(d.shop.AwaitEvent(ctx, "charge.confirmed", d.bought.ID))
	fixture.Sayf("event charge.confirmed arrived, its signature is right")
	var data struct {
		Metadata struct {
			BuyerInfo map[string]string `json:"buyer_info"`
		} `json:"metadata"`
	}
	fixture.Do(json.Unmarshal(got.Event.Data, &data))
	fixture.Sayf("its metadata.buyer_info is %s", fixture.Must(json.Marshal(data.Metadata.BuyerInfo)))
	fixture.Requiref(maps.Equal(data.Metadata.BuyerInfo, buyer()), "this is not what the customer filled in")
	fixture.Do(errors.Join(d.browser.Click(".reload a"), d.browser.Await(".tone-good")))
	fixture.Sayf("the customer's page says: %s", fixture.Must(d.browser.Text("h1")))
}
