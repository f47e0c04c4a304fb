package desk

func currencies() []string { return []string{"EUR", "USD", "XMR"} }

// showAsk shows the form for a charge.
func (v *visit) showAsk() error {
	f := form{
		Action: "/ask", Title: v.t("ask.charge"), Text: v.t("ask.charge_text"), Button: v.t("ask.make"),
		Fields: []field{
			needed(v.decimal("amount", "amount")), v.choice("currency", "currency", "", "EUR", currencies()...),
			v.text("description", "description", 500), hinted(v.text("order_id", "ask.order", 200), v.t("ask.order_hint")),
		},
	}
	links := []link{{Href: "/payment-requests", Text: v.t("ask.request")}, {Href: "/till", Text: v.t("nav.till")}, {Href: "/button" + query("merchant_id", v.shop()), Text: v.t("ask.button")}}
	return v.show(&page{Parts: []part{{Links: links}, {Forms: []form{f}}}}, v.t("nav.ask"))
}

// ask creates a charge and shows it.
func (v *visit) ask() error {
	id, err := v.makeCharge(v.form("order_id"), v.form("description"))
	if err != nil {
		return err
	}
	return v.redirect("/charges/" + id)
}

// makeCharge creates the charge of a form.
func (v *visit) makeCharge(order, description string) (id string, err error) {
	metadata := body{}.with("order_id", order).with("description", description)
	var made chargeAnswer
	wanted := body{"amount": amount(v.form("amount")), "currency": v.form("currency"), "metadata": metadata}
	err = v.post("/api/charges", wanted, &made)
	return made.ID, err
}
