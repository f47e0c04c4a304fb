package desk

import (
	"slices"
	"strconv"
	"strings"

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
	t := table(v, "requests", "requests.none", all, columns{
		{"amount", func(r answer) cell {
			return cell{Text: price(r.number("amount"), r.text("currency")), Href: "/payment-requests/" + r.id(), Row: true}
		}},
		{"charges.state", v.byValue("request.", "status")}, {"charges.about", says("description")}, {"charges.when", v.when("created_at")},
		{"requests.paid", func(r answer) cell { return cell{Text: r.text("completed_payments"), WideOnly: true} }},
		{"request", func(r answer) cell { return cell{Text: r.id(), Code: true, WideOnly: true} }},
	})
	t.Brief = true
	return t
}

func (v *visit) newRequest() form {
	single := field{Name: "single_use", Label: v.t("requests.single"), Type: "checkbox", Checked: v.problem == "" || v.form("single_use") != ""}
	return form{
		Action: "/payment-requests", Title: v.t("requests.new"), Text: v.t("requests.text"), Button: v.t("requests.make"),
		Fields: append(v.priceFields(), []field{
			v.text("description", "description", 500), v.text("reference", "requests.reference", 100),
			single, {Label: v.t("requests.fields"), Type: "group", Open: v.refusedOf("/payment-requests"), Fields: v.buyerChoices()},
		}...),
	}
}

// buyerFields returns the buyer fields that the desk offers. The API takes other names too.
func buyerFields() []string { return []string{"email", "name", "phone", "address", "company", "note"} }

// buyerPrefix begins the names of the fields that choose which buyer fields a page has.
const buyerPrefix = "buyer_"

// buyerChoices returns a choice for each buyer field: not asked for, optional or required.
func (v *visit) buyerChoices() []field {
	var all []field
	for _, name := range buyerFields() {
		f := v.choice(buyerPrefix+name, "field."+name, "requests.buyer_", "no", "no", "optional", "required")
		all = append(all, f)
	}
	return all
}

// typedBuyerFields returns the buyer fields that the form asks for, and those that are required.
func (v *visit) typedBuyerFields() (asked, required []string) {
	asked, required = []string{}, []string{}
	for _, name := range buyerFields() {
		switch v.form(buyerPrefix + name) {
		case "required":
			required = append(required, name)
			fallthrough
		case "optional":
			asked = append(asked, name)
		}
	}
	return asked, required
}

// askedFields returns the buyer fields of a payment request in words.
func (v *visit) askedFields(r answer) string {
	texts, required := r.names("fields"), r.names("required_fields")
	for i, name := range texts {
		text := v.t("field." + name)
		if text == "field."+name {
			text = name // the merchant's own name
		}
		if slices.Contains(required, name) {
			text = v.t("requests.is_required", text)
		}
		texts[i] = text
	}
	return orNone(strings.Join(texts, ", "))
}

// typedRequest returns the payment request of the form.
func (v *visit) typedRequest() body {
	asked, required := v.typedBuyerFields()
	return body{
		"amount": amount(v.form("amount")), "currency": v.form("currency"), "single_use": v.form("single_use") != "", "fields": asked, "required_fields": required,
	}.with("description", v.form("description")).with("reference", v.form("reference"))
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
		{Facts: known(
			v.fact("charges.state", v.t("request."+r.text("status"))), v.fact("charges.about", orNone(r.text("description"))),
			v.fact("requests.reference", orNone(r.text("reference"))), v.fact("requests.paid", r.text("completed_payments")),
			v.fact("requests.fields", v.askedFields(r)), v.fact("charge.expires", v.moment(r.text("expires_at"))), named(v.t("request"), code(r.id())),
		)},
		{Forms: forms},
	}}, v.t("requests.title", price(r.number("amount"), r.text("currency"))))
}

// requestQR answers with the link of a payment request as a QR code.
func (v *visit) requestQR() error {
	r := v.ownRequest()
	return v.qrOf(r.text("url"))
}

// qrOf answers with a link as a QR code.
func (v *visit) qrOf(link string) error {
	if err := v.failure(); err != nil {
		return err
	}
	image, err := web.QRCode(link, web.QRSize)
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
