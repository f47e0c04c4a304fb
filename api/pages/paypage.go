package pages

import (
	"html/template"
	"net/http"
	"net/url"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

// refreshSeconds is the interval between two reloads of a page that can change.
const refreshSeconds = 15

// choice holds the visitor's choices in the query of the page's address.
type choice struct {
	// still stops the page from reloading itself (refresh=off).
	still bool
	// details opens (open) or postpones (later) the form of buyer fields.
	details string
	// lang is the language chosen, or empty for the browser's.
	lang string
}

func choiceOf(r *http.Request, f kit.Frame) choice {
	if r.URL.RawQuery == "" {
		return choice{}
	}
	q := r.URL.Query()
	return choice{still: q.Get("refresh") == "off", details: q.Get("details"), lang: f.Chosen}
}

// link returns the address of a charge's page with the choice in its query.
func (c choice) link(id string) string { return c.at("/pay/"+id, url.Values{}) }

// at returns the address of a page with the choice added to its query.
func (c choice) at(path string, q url.Values) string {
	if c.still {
		q.Set("refresh", "off")
	}
	if c.details == "later" || c.details == "open" {
		q.Set("details", c.details)
	}
	if c.lang != "" {
		q.Set(kit.LangParam, c.lang)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// payPage is the page of a charge. While it asks for a payment it shows the status in a frame.
// Later it is the status, and reloads itself.
type payPage struct {
	kit.Frame
	// Description is what is paid for. Brief is as much of it as the first screen has room for.
	Description, Brief string
	Detail             string
	Steps              []step
	Progress           *progress
	// More holds further sentences. Excess reports an overpaid amount.
	More    []string
	Excess  string
	Pay     *instructions
	Details *detailsForm
	// DetailsLink opens the postponed form. DetailsGiven is set after the form was sent.
	DetailsLink  string
	DetailsGiven bool
	// Return leads back to the merchant, Receipt to the page to print.
	Return, Receipt *link
	Contact         *contact
	Rows            []row
	Reload          *reload
}

// step is one of the steps waiting, seen, confirmed; State is done, now or next.
type step struct{ Label, State string }

// progress counts confirmations.
type progress struct {
	Value, Max int
	Label      string
}

type link struct{ URL, Text string }

// row is a line of the summary; Code is true for an identifier.
type row struct {
	Label, Value string
	Code         bool
}

// reload lets the visitor reload the page, and stop or start automatic reloading.
type reload struct {
	Now, Toggle string
	Seconds     int
	// Auto is true while the page reloads itself.
	Auto bool
	// Held is true while a form is open, because reloading would empty it.
	Held bool
}

// instructions explains how to pay the amount due.
type instructions struct {
	// Amount is the amount due, in XMR. Rest is true if it is a remainder.
	Amount string
	// Image describes the QR code.
	Image   string
	Rest    bool
	Address string
	// Wallet is the monero: URI, which the template must not filter out.
	Wallet        template.URL
	QR, AddressQR string
	// Status is the address of the frame with the status.
	Status string
	// Cancel leads back to the merchant before anything was paid.
	Cancel *link
}

func newPayPage(f kit.Frame, v View, now time.Time, c choice) *payPage {
	at, t := stageOf(v), f.T
	p := &payPage{Frame: f, Description: web.OrEmpty(v.Description)}
	p.Business, p.Sandbox = v.BusinessName, v.Sandbox
	p.Tone = toneOf(at, v)
	p.Rows = summary(t, at, v, now)
	if at.payable() {
		p.Title, p.Frames = t.Text("pay.title", fiat(v.Amount, v.Currency)), true
		if p.Brief = brief(p.Description); p.Brief == p.Description {
			p.Description = "" // it is at the top
		}
		p.Pay = newInstructions(t, v, c)
	} else {
		p.Title, p.Detail = t.Text(string(at)+".title"), detail(t, at, v)
		p.Steps, p.Progress, p.More = steps(t, at), confirmations(t, at, v), more(t, at, v, now)
		p.leads(at, v)
	}
	if v.PaymentState == charge.Overpaid {
		p.Excess = t.Text("overpaid.detail", whole(v.AmountReceivedXMR.SubFloor(v.AmountXMR)))
	}
	if at.needsMerchant() || v.PaymentState == charge.Overpaid {
		p.Contact = contactOf(t, v.BusinessName, v.Contact)
	}
	p.askDetails(at, v, c)
	p.reloads(at, v, now, c)
	return p
}

func steps(t kit.Translator, at stage) []step {
	if at.step() == 0 {
		return nil
	}
	names := []string{"steps.waiting", "steps.seen", "steps.confirmed"}
	list := make([]step, len(names))
	for i, name := range names {
		state := "next"
		switch {
		case i+1 < at.step() || at.done():
			state = "done"
		case i+1 == at.step():
			state = "now"
		}
		list[i] = step{t.Text(name), state}
	}
	return list
}

func confirmations(t kit.Translator, at stage, v View) *progress {
	if !at.confirms() {
		return nil
	}
	required := int(v.ConfirmationsRequired)
	have := max(0, min(int(v.Confirmations), required))
	return &progress{have, required, t.Count("confirmations.progress", required, have)}
}

func newInstructions(t kit.Translator, v View, c choice) *instructions {
	base, due := "/pay/"+v.ID, v.AmountDueXMR.String()
	p := &instructions{
		Amount:    due,
		Image:     t.Text("pay.qr_alt", whole(v.AmountDueXMR)),
		Rest:      v.AmountReceivedXMR > 0,
		Address:   v.Subaddress,
		Wallet:    template.URL(dueURI(v)), //nolint:gosec // always begins with "monero:", see dueURI
		QR:        base + "/qr.png?due=" + due,
		AddressQR: base + "/address.png?due=" + due,
		Status:    c.at(base+statusPath, url.Values{"due": {due}}),
	}
	if target := web.Link(web.OrEmpty(v.ReturnURL)); target != "" && v.AmountReceivedXMR == 0 {
		p.Cancel = &link{target, merchantText(t, v.BusinessName, "cancel", "cancel.to")}
	}
	return p
}

func expires(t kit.Translator, at, now time.Time) string {
	remaining := at.Sub(now)
	switch {
	case remaining <= 0:
		return t.Text("pay.expires_past")
	case remaining < time.Minute:
		return t.Text("pay.expires_soon", t.Moment(at, now))
	default:
		return t.Text("pay.expires", t.Moment(at, now), t.Span(remaining))
	}
}

func summary(t kit.Translator, at stage, v View, now time.Time) []row {
	rows := []row{
		{Label: t.Text("summary.price"), Value: fiat(v.Amount, v.Currency)},
		{Label: t.Text("summary.asked"), Value: whole(v.AmountXMR)},
	}
	if v.Currency == money.XMR {
		rows = rows[:1]
	}
	if v.AmountReceivedXMR > 0 {
		rows = append(rows, row{Label: t.Text("summary.received"), Value: whole(v.AmountReceivedXMR)})
	}
	if at.done() && v.ConfirmedAt != nil {
		rows = append(rows, row{Label: t.Text("summary.confirmed"), Value: t.Moment(time.Time(*v.ConfirmedAt), now)})
	}
	if v.Status == charge.Expired {
		rows = append(rows, row{Label: t.Text("summary.expired"), Value: t.Moment(time.Time(v.ExpiresAt), now)})
	}
	if v.Order != "" {
		rows = append(rows, row{Label: t.Text("summary.order"), Value: v.Order})
	}
	return append(rows, row{Label: t.Text("summary.reference"), Value: v.ID, Code: true})
}

// merchantText returns a text about the merchant: named is the one for a merchant with a name.
func merchantText(t kit.Translator, business, unnamed, named string) string {
	if business == "" {
		return t.Text(unnamed)
	}
	return t.Text(named, business)
}

// reloads decides whether the page reloads itself. A page that asks for a payment does so only when
// the time to pay ends, because a reload drops what the buyer has selected or typed: its frame
// reloads instead.
func (p *payPage) reloads(at stage, v View, now time.Time, c choice) {
	other := c
	other.still = !c.still
	p.Reload = reloading(&p.Frame, reload{
		Now: c.link(v.ID), Toggle: other.link(v.ID), Held: p.Details != nil && p.Pay == nil,
	}, at.moving(), c.still)
	if p.Pay != nil && p.Refresh > 0 {
		p.Refresh = refreshSeconds + max(0, int(time.Time(v.ExpiresAt).Sub(now)/time.Second))
	}
}

// reloading returns how a page reloads that can change if it is moving. still is set where the
// visitor has stopped that. A page does not reload itself while a form is open, because a reload
// would discard the typed values.
func reloading(f *kit.Frame, r reload, moving, still bool) *reload {
	r.Seconds = refreshSeconds
	if !moving {
		r.Toggle, r.Held = "", false
		return &r
	}
	if r.Auto = !still && !r.Held; r.Auto {
		f.Refresh = refreshSeconds
	}
	return &r
}
