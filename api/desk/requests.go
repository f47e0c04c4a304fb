package desk

import (
	"strconv"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

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
