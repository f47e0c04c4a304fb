package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

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
	d.hear(ctx, "charge.created", d.bought.ID)
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
	d.hear(ctx, "charge.pending", d.bought.ID)
}

func (d *demo) confirmBought(ctx context.Context) {
	fixture.Do(d.Chain.MineInto(ctx, d.payment.Hash))
	fixture.Do(d.Chain.Mine(ctx, d.bought.ConfirmationsRequired-1))
	got := fixture.Must(d.shop.Hear(ctx, "charge.confirmed", d.bought.ID))
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
