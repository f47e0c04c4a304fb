package desk

import (
	"cmp"
	"net/url"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
)

// chargeView is a charge as the API answers it.
type chargeView struct{ charge.View }

// stored returns the members of the charge's metadata.
func (c chargeView) stored() answer { return membersOf(c.Metadata) }

// order returns the order of a charge, by the name that the API's clients use or the one that
// plugins use.
func (c chargeView) order() string {
	all := c.stored()
	return cmp.Or(all.text("order_id"), all.text("orderId"))
}

// readCharge reads the charge that the path names.
func (v *visit) readCharge() chargeView { return read[chargeView](v, v.at("/api/charges/{id}")) }

// chargeList is a part of the list of charges.
type chargeList struct {
	Charges []chargeView `json:"charges"`
	Next    string       `json:"next_cursor"`
}

// state returns the charge's status as text.
func (v *visit) state(c chargeView) cell {
	switch {
	case c.Status == charge.Confirmed && c.Late:
		return cell{Text: v.t("state.late"), Warn: true}
	case c.Status == charge.Confirmed:
		return cell{Text: v.t("state.confirmed"), Good: true}
	case c.PaymentState == charge.Partial:
		return cell{Text: v.t("state.partial", xmr(c.AmountReceivedXMR), xmr(c.AmountXMR)), Warn: true}
	case c.Status == charge.Expired && c.PaymentState == charge.Unpaid:
		return plain(v.t("state.expired"))
	case c.PaymentState == charge.Unpaid:
		return plain(v.t("state.waiting"))
	default:
		return plain(v.t("state.confirming", c.Confirmations, c.ConfirmationsRequired))
	}
}

// chargeFilter returns the query parameters of the list of charges.
func chargeFilter() []string { return []string{"invoice_status", "text", "from", "to", attention} }

// charges lists the charges that match the search, newest first.
func (v *visit) charges() error {
	asked := v.r.URL.Query()
	query := url.Values{"limit": {"50"}}
	for _, name := range append(chargeFilter(), "cursor") {
		value := asked.Get(name)
		if value == "" {
			continue
		}
		if name == "from" || name == "to" {
			value = dayBegin(value, name == "to")
		}
		query.Set(name, value)
	}
	found := read[chargeList](v, "/api/charges?"+query.Encode())
	return v.show(&page{Later: func() []part { return v.chargeParts(asked, found) }}, v.t("nav.charges"))
}

// chargeParts returns the search form and the charges found.
func (v *visit) chargeParts(asked url.Values, all chargeList) []part {
	found := part{Table: v.chargeTable(all.Charges)}
	if all.Next != "" {
		asked.Set("cursor", all.Next)
		asked.Del("done")
		found.Next = &link{Href: "/charges?" + asked.Encode(), Text: v.t("next")}
	}
	if len(all.Charges) == 0 {
		found.Buttons = []link{{Href: "/ask", Text: v.t("nav.ask")}}
	}
	var parts []part
	if kind := asked.Get(attention); kind != "" {
		parts = v.widen("/charges", v.t("attention."+kind))
	}
	search := part{Title: v.t("charges.search"), Folded: true, Forms: []form{v.chargeSearch(asked)}}
	for _, name := range chargeFilter() {
		if name != attention && asked.Get(name) != "" {
			search.Title, search.Folded = "", false
		}
	}
	return append(parts, search, found)
}

// dayBegin returns the start of a day in UTC, or of the next day if after is set. It returns
// invalid text unchanged, so that the API refuses it.
func dayBegin(day string, after bool) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	if after {
		at = at.AddDate(0, 0, 1)
	}
	return at.Format(time.RFC3339)
}

func (v *visit) chargeSearch(asked url.Values) form {
	status := v.choice("invoice_status", "charges.state", "charges.state_", asked.Get("invoice_status"), "", "New", "Processing", "Settled", "Expired", "Invalid")
	text, from, to := v.text("text", "charges.text", 200), v.text("from", "charges.from", 10), v.text("to", "charges.to", 10)
	text.Value, from.Value, to.Value = asked.Get("text"), asked.Get("from"), asked.Get("to")
	from.Type, to.Type = "date", "date"
	return form{Action: "/charges", Get: true, Lesser: true, Button: v.t("charges.search"), Fields: []field{status, hinted(text, v.t("charges.text_hint")), from, to}}
}

func (v *visit) chargeTable(charges []chargeView) *kit.Table {
	return table(v, "nav.charges", "charges.none", charges, []column[chargeView]{
		{"charges.when", func(c chargeView) cell { return plain(v.moment(c.CreatedAt.String())) }},
		{"amount", func(c chargeView) cell { return plain(price(c.Amount, string(c.Currency))) }},
		{"XMR", func(c chargeView) cell { return plain(c.AmountXMR.String()) }},
		{"charges.state", v.state},
		{"charges.about", func(c chargeView) cell { return plain(c.about()) }},
		{"charge", func(c chargeView) cell { return chargeCell(c.ID) }},
	})
}

// about returns a short description of a charge: its order and its description.
func (c chargeView) about() string {
	order, described := c.order(), orNone(web.OrEmpty(c.Description))
	switch {
	case order == "":
		return described
	case described == none:
		return order
	default:
		return order + " · " + described
	}
}

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

// typedCharge returns the charge of a form.
func (v *visit) typedCharge() body { return v.newCharge(v.form("order_id"), v.form("description")) }

func (v *visit) newCharge(order, description string) body {
	metadata := body{}.with("order_id", order).with("description", description)
	return body{"amount": amount(v.form("amount")), "currency": v.form("currency"), "metadata": metadata}
}
