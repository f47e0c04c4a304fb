package desk

import (
	"net/url"
	"strings"
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
	var o overview
	if err := v.get("/api/overview", &o); err != nil {
		return err
	}
	asked := v.r.URL.Query()
	typed, currency := typedAmount(asked), asked.Get("currency")
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
	if days := o.Days; len(days) > 0 {
		today := days[len(days)-1]
		parts = append(parts, part{Facts: []fact{named(v.t("till.today"), plain(xmr(today.Received)+" · "+v.translator().Count("home.charges", today.Confirmed)))}})
	}
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
	id, err := v.makeCharge("", v.t("nav.till"))
	if err != nil {
		return err
	}
	return v.redirect("/till/" + id)
}

// tillCharge is the page for the customer: the code to scan, and then that it is paid.
func (v *visit) tillCharge() error {
	var c chargeAnswer
	if err := v.get("/api/charges/"+v.id(), &c); err != nil {
		return err
	}
	p := &page{Narrow: true}
	again := part{Buttons: []link{{Href: "/till" + query("currency", c.Currency), Text: v.t("till.next")}, {Href: "/charges/" + c.ID, Text: v.t("charge")}}}
	switch {
	case c.Status == "confirmed" || c.PaymentState == "paid" || c.PaymentState == "overpaid":
		p.Notice = v.t("till.paid", xmr(c.Received))
		p.Parts = []part{{Facts: []fact{named(v.t("charges.state"), v.state(c))}}, again}
		if c.Status != "confirmed" {
			v.refresh = refreshCharge
		}
	case c.Status == "expired":
		p.Parts = []part{{Text: v.t("till.expired")}, again}
	default:
		v.refresh = refreshTill
		shown := part{
			Image: &sheetImage{Src: "/pay/" + c.ID + "/qr.png", Alt: v.t("till.qr"), Width: 296, Height: 296},
			Facts: []fact{named(v.t("charge.asked"), plain(xmr(c.AmountXMR))), named(v.t("charges.state"), v.state(c)), named(v.t("charge.expires"), plain(v.moment(&c.ExpiresAt)))},
			Copy:  c.Subaddress,
		}
		if c.PaymentState == "partial" {
			shown.Facts = append(shown.Facts, named(v.t("till.due"), cell{Text: xmr(c.Due), Warn: true}))
		}
		p.Parts = []part{shown, again}
	}
	return v.show(p, money(c.Amount, c.Currency))
}
