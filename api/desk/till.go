package desk

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/charge"
)

// refreshTill is the interval, in seconds, at which the page that the customer sees reloads
// itself.
const refreshTill = 3

// maxTyped is the maximum length of an amount on the keypad.
const maxTyped = 12

// backspace is the key that removes the last digit.
const backspace = "⌫"

const (
	// keyField is the field that the keys of the keypad send.
	keyField = "key"
	// pressed is the parameter that names the last key pressed.
	pressed = "pressed"
)

// till is the point of sale: a keypad on which each key loads the page with one more digit.
func (v *visit) till() error {
	o := v.read("/api/overview")
	asked := v.r.URL.Query()
	typed, currency := typedAmount(asked), cmp.Or(asked.Get("currency"), v.ownCurrency())
	if v.problem != "" {
		typed, currency = v.form("amount"), v.form("currency")
	}
	price := needed(v.decimal("amount", "amount"))
	price.Value = typed
	ring := form{
		Action: "/till", Button: v.t("till.ring"),
		Fields: []field{price, v.choice("currency", "currency", "", currency, currencies()...)},
		Keys:   []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "0", backspace}, KeysLabel: v.t("till.keys"),
		KeyNames: map[string]string{backspace: v.t("till.backspace"), ".": v.t("till.point")}, Pressed: asked.Get(pressed),
	}
	parts := []part{{Forms: []form{ring}}}
	if days := o.list("days"); len(days) > 0 {
		parts = append(parts, part{Facts: []fact{v.fact("till.today", v.summed(sumOf(days[len(days)-1])))}})
	}
	parts = append(parts, part{Links: []link{{Href: "/", Text: v.t("till.close")}}})
	return v.show(&page{Narrow: true, Parts: parts}, v.t("nav.till"))
}

// typedAmount returns the amount after the pressed key.
func typedAmount(asked url.Values) string {
	typed, key := strings.ReplaceAll(asked.Get("amount"), ",", "."), asked.Get(keyField)
	switch {
	case strings.Trim(typed, "0123456789.") != "" || len(typed) > maxTyped:
		return ""
	case key == backspace:
		return typed[:max(len(typed)-1, 0)]
	case len(typed) == maxTyped || len(key) != 1 || strings.Trim(key, "0123456789.") != "" || (key == "." && strings.Contains(typed, ".")):
		return typed
	case key == "." && typed == "":
		return "0."
	case typed == "0" && key != ".":
		return key
	default:
		return typed + key
	}
}

// ring creates the charge for the amount, or applies one more key.
func (v *visit) ring() error {
	if v.r.PostForm.Has(keyField) {
		return v.redirect("/till?" + url.Values{"amount": {typedAmount(v.r.PostForm)}, "currency": {v.form("currency")}, pressed: {v.form(keyField)}}.Encode())
	}
	return makes("/api/charges", func(v *visit) body { return v.newCharge("", v.t("nav.till")) }, "/till/")(v)
}

// tillCharge is the page for the customer: the code to scan, and then that it is paid.
func (v *visit) tillCharge() error {
	c := v.readCharge()
	p := &page{Narrow: true}
	again := part{Buttons: []link{{Href: "/till" + query("currency", string(c.Currency)), Text: v.t("till.next")}}}
	switch {
	case c.Status == charge.Confirmed || c.PaymentState == charge.Paid || c.PaymentState == charge.Overpaid:
		p.Notice = v.t("till.paid", xmr(c.AmountReceivedXMR))
		p.Parts = []part{{Facts: []fact{named(v.t("charges.state"), v.state(c))}}, again}
		if c.Status != charge.Confirmed {
			v.refresh = refreshCharge
		}
	case c.Status == charge.Expired:
		p.Parts = []part{{Text: v.t("till.expired")}, again}
	default:
		v.refresh = refreshTill
		shown := part{
			Image: &kit.Image{Src: "/pay/" + c.ID + "/qr.png", Alt: v.t("till.qr"), Width: 296, Height: 296},
			Facts: []fact{v.fact("charge.asked", xmr(c.AmountXMR)), named(v.t("charges.state"), v.state(c)), v.fact("charge.expires", v.moment(c.ExpiresAt.String()))},
			Copy:  c.Subaddress,
		}
		if c.PaymentState == charge.Partial {
			shown.Facts = append(shown.Facts, named(v.t("till.due"), cell{Text: xmr(c.AmountDueXMR), Warn: true}))
		}
		p.Parts = []part{shown, again}
	}
	return v.show(p, price(c.Amount, string(c.Currency)))
}
