package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// TestFromButtonToBuyerInfo goes the way of a shop without a program and of a
// customer without script: the HTML of the button builder on a plain page, a
// click, the details asked for, the payment. The language that the customer
// chose stays.
func TestFromButtonToBuyerInfo(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	whole, cancel := context.WithTimeout(context.Background(), 4*maxWait)
	t.Cleanup(cancel)
	b, err := fixture.OpenBrowser(whole, "fr")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })

	require.NoError(t, b.Visit(s.testbed.url+"/button"))
	for _, typed := range [][2]string{
		{"#merchant_id", s.Account.Merchant.MerchantID}, {"#amount", "8.50"}, {"#description", `"Tea" & <b>cake</b>`},
		{"#fields", "email, shipping_note"},
	} {
		require.NoError(t, b.Type(typed[0], typed[1]))
	}
	require.NoError(t, b.Click("form[action='/button'] button"))
	require.NoError(t, b.Await("#snippet"))
	snippet, err := b.Text("#snippet")
	require.NoError(t, err)
	require.Contains(t, snippet, "Payer avec Monero")
	site := fixture.HostSite("Tea room", snippet)
	t.Cleanup(site.Close)

	require.NoError(t, b.Visit(site.URL))
	require.NoError(t, b.Click("form button"))
	require.NoError(t, b.Await("#field-email"))
	c := s.opened(t, b)
	require.Equal(t, "button", c.Source)
	require.JSONEq(t, `{"description":"\"Tea\" & cake"}`, string(c.Metadata), "markup is removed")

	require.NoError(t, b.Click("a[hreflang=de]"))
	require.NoError(t, b.Await("html[lang=de] #field-email"))
	require.NoError(t, b.Type("#field-email", "buyer@example.com"))
	require.NoError(t, b.Type("#field-shipping_note", "Bitte „leise“ klingeln"))
	require.NoError(t, b.Click("section.details button"))
	require.NoError(t, b.Await("html[lang=de] p.details"))
	for selector, text := range map[string]string{
		"p.details": "Ihre Angaben wurden gesendet.", "#address": c.Subaddress, "#amount": c.AmountXMR.String(),
	} {
		shown, err := b.Text(selector)
		require.NoError(t, err)
		require.Equal(t, text, shown)
	}

	s.pay(t, c)
	done := s.mineUntil(t, "charge.confirmed", c.ID)
	var metadata struct {
		BuyerInfo map[string]string `json:"buyer_info"`
	}
	require.NoError(t, json.Unmarshal(done.Metadata, &metadata))
	require.Equal(t, map[string]string{"email": "buyer@example.com", "shipping_note": "Bitte „leise“ klingeln"}, metadata.BuyerInfo)
	require.NoError(t, b.Click(".reload a"))
	require.NoError(t, b.Await("html[lang=de] .tone-good"))
}

// opened is the charge whose page the browser shows.
func (s *shop) opened(t *testing.T, b *fixture.Browser) clients.Charge {
	t.Helper()
	address, err := b.Address()
	require.NoError(t, err)
	id, found := strings.CutPrefix(address, s.testbed.url+"/pay/")
	require.True(t, found, address)
	c, err := s.Charge(within(t), id)
	require.NoError(t, err)
	return c
}
