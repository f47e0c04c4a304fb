package desk

import (
	"cmp"
	"net/url"
	"strconv"
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

// The number of requests that the list shows, and the number that the page of one request
// searches.
const (
	listedRequests = "100"
	knownRequests  = "200"
)

func (v *visit) readRequests(limit string) []answer {
	return v.list("/api/payment-requests"+query("limit", limit), "payment_requests")
}

// requests lists payment requests, with a form for a new one.
func (v *visit) requests() error {
	all := v.readRequests(listedRequests)
	return v.show(&page{Later: func() []part {
		return []part{{Forms: []form{v.newRequest()}}, {Table: v.requestTable(all)}}
	}}, v.t("requests"))
}

func (v *visit) requestTable(all []answer) *kit.Table {
	return table(v, "requests", "requests.none", all, columns{
		{"charges.when", v.when("created_at")},
		{"amount", func(r answer) cell { return plain(price(r.number("amount"), r.text("currency"))) }},
		{"charges.about", says("description")}, {"charges.state", v.byValue("request.", "status")},
		{"requests.paid", says("completed_payments")}, {"request", leads("/payment-requests/")},
	})
}

func (v *visit) newRequest() form {
	single := field{Name: "single_use", Label: v.t("requests.single"), Type: "checkbox", Checked: v.problem == "" || v.form("single_use") != ""}
	return form{
		Action: "/payment-requests", Title: v.t("requests.new"), Text: v.t("requests.text"), Button: v.t("requests.make"),
		Fields: []field{
			needed(v.decimal("amount", "amount")), v.choice("currency", "currency", "", "EUR", currencies()...),
			v.text("description", "description", 500), v.text("reference", "requests.reference", 100),
			hinted(v.text("fields", "requests.fields", 520), v.t("requests.fields_hint")), single,
		},
	}
}

// typedRequest returns the payment request of the form.
func (v *visit) typedRequest() body {
	return body{"amount": amount(v.form("amount")), "currency": v.form("currency"), "single_use": v.form("single_use") != ""}.
		with("description", v.form("description")).with("reference", v.form("reference")).with("fields", v.form("fields"))
}

// ownRequest returns the request that the path names.
func (v *visit) ownRequest() answer { return v.oneOf(v.readRequests(knownRequests), "requests.gone") }

// request shows a payment request: its link and a QR code to print.
func (v *visit) request() error {
	r := v.ownRequest()
	here := "/payment-requests/" + r.id()
	forms := []form{{Action: here + "/toggle", Button: v.t("link.off"), Lesser: true, Hidden: switches(r.is("active"))}}
	if !r.is("active") {
		forms[0].Button = v.t("link.on")
		forms = append(forms, form{Action: here + "/delete", Button: v.t("requests.delete"), Lesser: true})
	}
	return v.show(&page{Narrow: true, Parts: []part{
		{
			Image: &kit.Image{Src: here + "/qr.png", Alt: v.t("requests.qr"), Width: 256, Height: 256},
			Copy:  r.text("url"), Buttons: []link{{Href: r.text("url"), Text: v.t("charge.page")}},
		},
		{Facts: []fact{
			v.fact("charges.state", v.t("request."+r.text("status"))), v.fact("charges.about", orNone(r.text("description"))),
			v.fact("requests.reference", orNone(r.text("reference"))), v.fact("requests.paid", r.text("completed_payments")),
			v.fact("charge.expires", v.moment(r.text("expires_at"))), named(v.t("request"), code(r.id())),
		}},
		{Forms: forms},
	}}, v.t("requests.title", price(r.number("amount"), r.text("currency"))))
}

// requestQR answers with the link of a payment request as a QR code.
func (v *visit) requestQR() error {
	r := v.ownRequest()
	if err := v.failure(); err != nil {
		return err
	}
	image, err := web.QRCode(r.text("url"), web.QRSize)
	if err != nil {
		return err
	}
	return v.file("image/png", image)
}

// file answers with a file instead of a page.
func (v *visit) file(contentType string, content []byte) error {
	h := v.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, err := v.w.Write(content)
	return err
}

func (v *visit) isRequestActive() (bool, error) {
	active := v.ownRequest().is("active")
	return active, v.failure()
}
