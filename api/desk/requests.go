package desk

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/durapay/durapay/api/web"
)

// requestAnswer is the API's representation of a payment request.
type requestAnswer struct {
	ID          string  `json:"id"`
	Amount      number  `json:"amount"`
	Currency    string  `json:"currency"`
	Description *string `json:"description"`
	Reference   *string `json:"reference"`
	SingleUse   bool    `json:"single_use"`
	ExpiresAt   *string `json:"expires_at"`
	Active      bool    `json:"active"`
	Status      string  `json:"status"`
	Completed   int     `json:"completed_payments"`
	URL         string  `json:"url"`
	CreatedAt   string  `json:"created_at"`
}

// The number of requests that the list shows, and the number that the page of one request
// searches.
const (
	listedRequests = "100"
	knownRequests  = "200"
)

// listOfRequests is the API's list of payment requests.
type listOfRequests struct {
	Requests []requestAnswer `json:"payment_requests"`
}

func requestsPath(limit string) string { return "/api/payment-requests" + query("limit", limit) }

// requests lists payment requests, with a form for a new one.
func (v *visit) requests() error {
	var all listOfRequests
	if err := v.get(requestsPath(listedRequests), &all); err != nil {
		return err
	}
	return v.show(&page{Later: func() []part {
		return []part{{Forms: []form{v.newRequest()}}, {Table: v.requestTable(all.Requests)}}
	}}, v.t("requests"))
}

func (v *visit) requestTable(all []requestAnswer) *sheetTable {
	t := &sheetTable{
		Label: v.t("requests"), Empty: v.t("requests.none"),
		Columns: []string{v.t("charges.when"), v.t("amount"), v.t("charges.about"), v.t("charges.state"), v.t("requests.paid"), v.t("request")},
	}
	for _, r := range all {
		t.Rows = append(t.Rows, []cell{
			plain(v.moment(&r.CreatedAt)), plain(money(r.Amount, r.Currency)), plain(orNone(r.Description)), plain(v.t("request." + r.Status)),
			plain(strconv.Itoa(r.Completed)), {Text: r.ID, Code: true, Href: "/payment-requests/" + r.ID},
		})
	}
	return t
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

// makeRequest makes a payment request and shows it.
func (v *visit) makeRequest() error {
	var made requestAnswer
	content := body{"amount": amount(v.form("amount")), "currency": v.form("currency"), "single_use": v.form("single_use") != ""}.
		with("description", v.form("description")).with("reference", v.form("reference")).with("fields", v.form("fields"))
	if err := v.post("/api/payment-requests", content, &made); err != nil {
		return err
	}
	return v.redirect("/payment-requests/" + made.ID)
}

// ownRequest returns the request that the path names.
func (v *visit) ownRequest() (requestAnswer, error) {
	var all listOfRequests
	if err := v.get(requestsPath(knownRequests), &all); err != nil {
		return requestAnswer{}, err
	}
	i := slices.IndexFunc(all.Requests, func(r requestAnswer) bool { return r.ID == v.id() })
	if i < 0 {
		return requestAnswer{}, v.refusal(http.StatusNotFound, "requests.gone")
	}
	return all.Requests[i], nil
}

// request shows a payment request: its link and a QR code to print.
func (v *visit) request() error {
	r, err := v.ownRequest()
	if err != nil {
		return err
	}
	here := "/payment-requests/" + r.ID
	forms := []form{{Action: here + "/toggle", Button: v.t("link.off"), Lesser: true, Hidden: switches(r.Active)}}
	if !r.Active {
		forms = []form{{Action: here + "/toggle", Button: v.t("link.on"), Lesser: true, Hidden: switches(r.Active)}, {Action: here + "/delete", Button: v.t("requests.delete"), Lesser: true}}
	}
	return v.show(&page{Narrow: true, Parts: []part{
		{Image: &sheetImage{Src: here + "/qr.png", Alt: v.t("requests.qr"), Width: 256, Height: 256}, Copy: r.URL, Buttons: []link{{Href: r.URL, Text: v.t("charge.page")}}},
		{Facts: []fact{
			named(v.t("charges.state"), plain(v.t("request."+r.Status))), named(v.t("charges.about"), plain(orNone(r.Description))),
			named(v.t("requests.reference"), plain(orNone(r.Reference))), named(v.t("requests.paid"), plain(strconv.Itoa(r.Completed))),
			named(v.t("charge.expires"), plain(v.moment(r.ExpiresAt))), named(v.t("request"), code(r.ID)),
		}},
		{Forms: forms},
	}}, v.t("requests.title", money(r.Amount, r.Currency)))
}

// requestQR answers with the link of a payment request as a QR code.
func (v *visit) requestQR() error {
	r, err := v.ownRequest()
	if err != nil {
		return err
	}
	image, err := web.QRCode(r.URL, 512)
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

// toggleRequest switches the link of a request.
func (v *visit) toggleRequest() error {
	if v.r.PostForm.Has(activeField) {
		r, err := v.ownRequest()
		if err != nil {
			return err
		}
		if v.isSwitched(r.Active) {
			return v.done("/payment-requests/" + v.id())
		}
	}
	if err := v.post("/api/payment-requests/"+v.id()+"/toggle", nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/payment-requests/" + v.id())
}

func (v *visit) deleteRequest() error {
	if err := v.post("/api/payment-requests/"+v.id()+"/delete", nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/payment-requests")
}
