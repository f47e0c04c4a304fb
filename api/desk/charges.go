package desk

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
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
func chargeFilter() []string {
	return []string{"invoice_status", "text", "from", "to", "amount_from", "amount_to", attention}
}

// listedCharges is the number of charges that a page of the list shows.
const listedCharges = "50"

// charges lists the charges that match the search, newest first.
func (v *visit) charges() error {
	asked := v.r.URL.Query()
	found := read[chargeList](v, "/api/charges?"+v.chargeQuery(asked, listedCharges).Encode())
	v.admit()
	return v.show(&page{Later: func() []part { return v.chargeParts(asked, found) }}, v.t("nav.charges"))
}

// chargeQuery returns the query of the API for the charges that the page's address asks for.
func (v *visit) chargeQuery(asked url.Values, limit string) url.Values {
	query := url.Values{"limit": {limit}}
	for _, name := range append(chargeFilter(), "cursor") {
		value := asked.Get(name)
		if value == "" {
			continue
		}
		switch name {
		case "from", "to":
			value = v.dayBegin(value, name == "to")
		case "amount_from", "amount_to":
			value = amount(value).String()
		}
		query.Set(name, value)
	}
	return query
}

// chargeParts returns the search form and the charges found.
func (v *visit) chargeParts(asked url.Values, all chargeList) []part {
	narrowed := slices.ContainsFunc(append(chargeFilter(), "cursor"), func(name string) bool { return asked.Get(name) != "" })
	isSearched := slices.ContainsFunc(searchFields(), func(name string) bool { return asked.Get(name) != "" })
	search := part{Title: v.t("charges.search"), Chips: v.chargeChips(asked), Folded: !isSearched, Wide: true, Forms: []form{v.chargeSearch(asked)}}
	found, file := part{Table: v.chargeTable(all.Charges)}, []part{}
	if all.Next != "" {
		next := maps.Clone(asked)
		next.Set("cursor", all.Next)
		next.Del("done")
		found.Next = &link{Href: "/charges?" + next.Encode(), Text: v.t("next")}
	}
	switch {
	case len(all.Charges) > 0:
		asked.Del("cursor")
		asked.Del("done")
		file = []part{{Links: []link{{Href: "/charges.csv?" + asked.Encode(), Text: v.t("charges.file")}}}}
	case narrowed:
		found.Table.Empty = v.t("charges.none_found")
		found.Buttons = []link{{Href: "/charges", Text: v.t("attention.all")}}
	default:
		found.Buttons = []link{{Href: "/ask", Text: v.t("ask.make")}}
	}
	return append([]part{search, found}, file...)
}

// searchFields are the parameters of the form of the search.
func searchFields() []string { return []string{"text", "from", "to", "amount_from", "amount_to"} }

// chargeChips returns the links that each show the charges of one state.
func (v *visit) chargeChips(asked url.Values) []link {
	chip := func(text, name, value string) link {
		to := url.Values{}
		if name != attention { // the API filters either by what needs attention or by a text
			for _, kept := range searchFields() {
				if is := asked.Get(kept); is != "" {
					to.Set(kept, is)
				}
			}
		}
		if value != "" {
			to.Set(name, value)
		}
		href := "/charges"
		if len(to) > 0 {
			href += "?" + to.Encode()
		}
		is := asked.Get(name) == value
		if value == "" {
			is = asked.Get("invoice_status") == "" && asked.Get(attention) == ""
		}
		return link{Href: href, Text: v.t(text), Current: is}
	}
	return []link{
		chip("charges.state_", "", ""), chip("charges.state_New", "invoice_status", "New"), chip("charges.state_Processing", "invoice_status", "Processing"),
		chip("charges.state_Settled", "invoice_status", "Settled"), chip("attention.underpaid", attention, "underpaid"), chip("attention.late", attention, "late"),
		chip("charges.state_Expired", "invoice_status", "Expired"), chip("charges.state_Invalid", "invoice_status", "Invalid"),
	}
}

// dayBegin returns the start of a day in the person's time zone, or of the next day if after is set.
// It returns invalid text unchanged, so that the API refuses it.
func (v *visit) dayBegin(day string, after bool) string {
	at, err := time.ParseInLocation(time.DateOnly, day, v.timeZone())
	if err != nil {
		return day
	}
	if after {
		at = at.AddDate(0, 0, 1)
	}
	return at.Format(time.RFC3339)
}

func (v *visit) chargeSearch(asked url.Values) form {
	text, from, to := v.text("text", "charges.text", 200), v.text("from", "charges.from", 10), v.text("to", "charges.to", 10)
	least, most := v.decimal("amount_from", "charges.amount_from"), v.decimal("amount_to", "charges.amount_to")
	from.Type, to.Type = "date", "date"
	f := form{Action: "/charges", Get: true, Lesser: true, Grid: true, Button: v.t("charges.search"), Fields: []field{hinted(text, v.t("charges.text_hint")), from, to, least, most}}
	for i := range f.Fields {
		f.Fields[i].Value = asked.Get(f.Fields[i].Name)
	}
	if status := asked.Get("invoice_status"); status != "" {
		f.Hidden = []kit.Hidden{{Name: "invoice_status", Value: status}}
	}
	return f
}

func (v *visit) chargeTable(charges []chargeView) *kit.Table {
	t := table(v, "nav.charges", "charges.none", charges, []column[chargeView]{
		{"amount", func(c chargeView) cell {
			return cell{Text: price(c.Amount, string(c.Currency)), Href: "/charges/" + c.ID, Row: true}
		}},
		{"charges.state", v.state},
		{"charges.about", func(c chargeView) cell { return plain(c.about()) }},
		{"charges.when", func(c chargeView) cell { return plain(v.moment(c.CreatedAt.String())) }},
		{"XMR", func(c chargeView) cell { return cell{Text: c.AmountXMR.String(), WideOnly: true} }},
		{"charge", func(c chargeView) cell { return cell{Text: c.ID, Code: true, WideOnly: true} }},
	})
	t.Brief = true
	return t
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
		Action: "/ask", Text: v.t("ask.charge_text"), Button: v.t("ask.make"),
		Fields: append(v.priceFields(), []field{
			v.text("description", "description", 500), hinted(v.text("order_id", "ask.order", 200), v.t("ask.order_hint")),
		}...),
	}
	links := []link{{Href: "/payment-requests", Text: v.t("ask.request")}, {Href: "/till", Text: v.t("nav.till")}, {Href: "/button" + query("merchant_id", v.shop()), Text: v.t("ask.button")}}
	return v.show(&page{Parts: []part{{Forms: []form{f}}, {Title: v.t("ask.ways"), Links: links}}}, v.t("nav.ask"))
}

// typedCharge returns the charge of a form.
func (v *visit) typedCharge() body { return v.newCharge(v.form("order_id"), v.form("description")) }

func (v *visit) newCharge(order, description string) body {
	metadata := body{}.with("order_id", order).with("description", description)
	return body{"amount": amount(v.form("amount")), "currency": v.form("currency"), "metadata": metadata}
}
