package desk

import (
	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/internal/secret"
)

// currencies are those that a price can be in.
func currencies() []string { return []string{"EUR", "USD", "XMR"} }

// onceField is the hidden field that makes a form that is sent twice ask once: it
// becomes the order of the charge where none was given.
const onceField = "once"

// onceOrder is what those orders begin with.
const onceOrder = "desk-"

// showAsk is the form for a charge.
func (v *visit) showAsk() error {
	clock, err := v.clockChoice()
	if err != nil {
		return err
	}
	f := form{
		Action: "/ask", Title: v.t("ask.charge"), Text: v.t("ask.charge_text"), Button: v.t("ask.make"), Hidden: v.once(),
		Fields: append([]field{
			needed(v.decimal("amount", "amount")), v.choice("currency", "currency", "", "EUR", currencies()...),
			v.text("description", "description", 500), hinted(v.text("order_id", "ask.order", 200), v.t("ask.order_hint")),
		}, clock...),
	}
	links := []link{{Href: "/payment-requests", Text: v.t("ask.request")}, {Href: "/till", Text: v.t("nav.till")}, {Href: "/button", Text: v.t("ask.button")}}
	if v.sandbox() {
		links = append(links, link{Href: "/test-clocks", Text: v.t("clocks")})
	}
	return v.show(&page{Parts: []part{{Links: links}, {Forms: []form{f}}}}, v.t("nav.ask"))
}

// once is the hidden field of a form that is taken once.
func (v *visit) once() []sheet.Hidden {
	return []sheet.Hidden{{Name: onceField, Value: v.filled(onceField, secret.NewID(onceOrder))}}
}

// ask makes a charge and shows it.
func (v *visit) ask() error {
	id, err := v.makeCharge(v.form("order_id"), v.form("description"))
	if err != nil {
		return err
	}
	return v.redirect("/charges/" + id)
}

// makeCharge makes the charge that a form asks for; the same form a second time makes
// no second one, as the contract has it: by looking for its order first.
func (v *visit) makeCharge(order, description string) (id string, err error) {
	if order == "" {
		order = v.form(onceField)
	}
	if once := v.form(onceField); once != "" && order == once {
		var before foundCharges
		if err := v.get("/api/charges"+query("order_id", once), &before); err != nil {
			return "", err
		}
		if len(before.Charges) > 0 {
			return before.Charges[0].ID, nil
		}
	}
	metadata := body{}.with("order_id", order).with("description", description)
	var made chargeAnswer
	wanted := body{"amount": amount(v.form("amount")), "currency": v.form("currency"), "metadata": metadata}.with("test_clock", v.form("test_clock"))
	err = v.post("/api/charges", wanted, &made)
	return made.ID, err
}
