package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
)

// buyer is what the customer of the second step fills in.
func buyer() map[string]string {
	return map[string]string{"email": "buyer@example.com", "shipping_note": "Leave it at the door"}
}

func (d *demo) buildButton(ctx context.Context) error {
	var err error
	if d.browser, err = fixture.OpenBrowser(ctx, "en"); err != nil {
		return err
	}
	if err := d.browser.Visit(d.URLs["MERCHANT_URL"] + "/button"); err != nil {
		return err
	}
	for _, input := range [][2]string{
		{"#merchant_id", d.shop.Account.Merchant.MerchantID}, {"#amount", "8.50"}, {"#description", "A pot of tea"},
		{"#fields", "email, shipping_note"},
	} {
		if err := d.browser.Type(input[0], input[1]); err != nil {
			return err
		}
	}
	if err := errors.Join(d.browser.Click("form[action='/button'] button"), d.browser.Await("#snippet")); err != nil {
		return err
	}
	snippet, err := d.browser.Text("#snippet")
	if err != nil {
		return err
	}
	fixture.Sayf("the builder's page gives this HTML:")
	for line := range strings.Lines(snippet) {
		fmt.Print("        ", line)
	}
	fmt.Println()
	if d.site, err = fixture.HostSite("Tea room", snippet); err != nil {
		return err
	}
	fixture.Sayf("the merchant's own page with this HTML and nothing else: %s", d.site.URL)
	return fixture.Check(!strings.Contains(snippet, "<script"), "the button has a script")
}

func (d *demo) clickButton(ctx context.Context) error {
	err := errors.Join(d.browser.Visit(d.site.URL), d.browser.Click("form button"), d.browser.Await("#field-email"))
	if err != nil {
		return err
	}
	address, err := d.browser.Address()
	if err != nil {
		return err
	}
	fixture.Sayf("Chromium, its scripts switched off, is at %s", address)
	id, found := strings.CutPrefix(address, d.URLs["MERCHANT_URL"]+"/pay/")
	if err := fixture.Check(found, "this is not a payment page"); err != nil {
		return err
	}
	if d.bought, err = d.shop.Charge(ctx, id); err != nil {
		return err
	}
	fixture.Sayf("charge %s of the button asks for %s USD", d.bought.ID, d.bought.Amount)
	if err := fixture.Check(d.bought.Source == "button", "its source is %s", d.bought.Source); err != nil {
		return err
	}
	return d.hear(ctx, "charge.created", d.bought.ID)
}

func (d *demo) fillIn(context.Context) error {
	for name, value := range buyer() {
		if err := d.browser.Type("#field-"+name, value); err != nil {
			return err
		}
	}
	if err := errors.Join(d.browser.Click("section.details button"), d.browser.Await("p.details")); err != nil {
		return err
	}
	said, err := d.browser.Text("p.details")
	if err == nil {
		fixture.Sayf("the page says: %s", said)
	}
	return err
}

// payAsShown pays what the page shows, and nothing that the API told.
func (d *demo) payAsShown(ctx context.Context) error {
	address, err := d.browser.Text("#address")
	if err != nil {
		return err
	}
	shown, err := d.browser.Text("#amount")
	if err != nil {
		return err
	}
	amount, err := money.ParseXMR(shown)
	if err != nil {
		return err
	}
	if d.payment, err = d.Customer.Pay(ctx, regtest.Output{Address: address, Amount: amount}); err != nil {
		return err
	}
	fixture.Sayf("%s XMR to %s…, transaction %s", amount, address[:12], d.payment.Hash)
	return d.hear(ctx, "charge.pending", d.bought.ID)
}

func (d *demo) confirmBought(ctx context.Context) error {
	if err := d.Chain.MineInto(ctx, d.payment.Hash); err != nil {
		return err
	}
	if err := d.Chain.Mine(ctx, d.bought.ConfirmationsRequired-1); err != nil {
		return err
	}
	got, err := d.shop.Hear(ctx, "charge.confirmed", d.bought.ID)
	if err != nil {
		return err
	}
	fixture.Sayf("event charge.confirmed arrived, its signature is right")
	var data struct {
		Metadata struct {
			BuyerInfo map[string]string `json:"buyer_info"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(got.Event.Data, &data); err != nil {
		return err
	}
	info, err := json.Marshal(data.Metadata.BuyerInfo)
	if err != nil {
		return err
	}
	fixture.Sayf("its metadata.buyer_info is %s", info)
	if err := fixture.Check(maps.Equal(data.Metadata.BuyerInfo, buyer()), "this is not what the customer filled in"); err != nil {
		return err
	}
	if err := errors.Join(d.browser.Click(".reload a"), d.browser.Await(".tone-good")); err != nil {
		return err
	}
	title, err := d.browser.Text("h1")
	if err == nil {
		fixture.Sayf("the customer's page says: %s", title)
	}
	return err
}
