package desk

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/wire"
)

// refreshCharge is the interval, in seconds, at which the page of an unfinished charge reloads
// itself.
const refreshCharge = 15

// charge shows one charge: its facts, its history and its actions.
func (v *visit) charge() error {
	c := v.readCharge()
	var refunds []refundView
	if v.may("listChargeRefunds") {
		refunds = read[refundList](v, v.at("/api/charges/{id}/refunds")).Refunds
	}
	here := "/charges/" + c.ID
	slices.Reverse(c.Payments)
	paid, morePaid := partOf(v, list[charge.PaymentView]{page: here, cursor: "payments", atOnce: listedPerPart, id: txHash}, c.Payments)
	slices.Reverse(refunds)
	refunded, moreRefunded := partOf(v, list[refundView]{page: here, cursor: "refunds", atOnce: listedPerPart, id: refundView.id, rows: refundView.rows}, refunds)
	p := &page{Parts: []part{{Facts: v.chargeFacts(c)}}}
	if buttons := v.sandboxButtons(c); v.sandbox() && (len(buttons.Forms) > 0 || buttons.Text != "") {
		p.Parts = append(p.Parts, buttons)
	}
	if c.moves() {
		p.Parts = append(p.Parts, v.share(c))
	}
	p.Parts = append(p.Parts, []part{
		{Title: v.t("charge.timeline"), Wide: v.sandbox() || c.moves(), Events: v.timeline(c, paid, refunded)},
		{Title: v.t("charge.payments"), Table: v.paymentTable(c.ConfirmationsRequired, paid), Next: morePaid},
	}...)
	if v.may("listDeliveries") {
		deliveries := v.deliveriesOf(c.ID)
		shown, more := partOf(v, list[answer]{page: here, cursor: "deliveries", atOnce: listedPerPart, id: answer.id}, deliveries)
		p.Parts = append(p.Parts, part{Title: v.t("charge.deliveries"), Table: v.deliveryTable(shown), Next: more, Forms: v.retryForms(c, deliveries)})
	}
	if len(refunds) > 0 {
		p.Parts = append(p.Parts, part{Title: v.t("nav.refunds"), Table: v.refundTable(refunded), Next: moreRefunded})
	}
	p.Parts = append(p.Parts, v.chargeForms(c)...)
	if !c.moves() {
		p.Parts = append(p.Parts, v.share(c))
	}
	if c.moves() && v.problem == "" {
		v.refresh = refreshCharge
		if v.sandbox() && c.PaymentState == charge.Paid && c.Confirmations >= c.ConfirmationsRequired {
			v.refresh = refreshTill // its blocks are there, and its workflow is about to see them
		}
	}
	return v.show(p, v.t("charge.title", price(c.Amount, string(c.Currency))))
}

// share shows the link of the charge's page: to copy, to scan and to send.
func (v *visit) share(c chargeView) part {
	about := v.t("charge.title", price(c.Amount, string(c.Currency)))
	mail := "mailto:?" + strings.ReplaceAll(url.Values{"subject": {about}, "body": {c.PaymentURL}}.Encode(), "+", "%20")
	return part{
		Title: v.t("charge.share"), Image: &kit.Image{Src: "/charges/" + c.ID + "/qr.png", Alt: v.t("requests.qr"), Width: 168, Height: 168},
		Copy: c.PaymentURL, Buttons: []link{{Href: c.PaymentURL, Text: v.t("charge.page")}, {Href: mail, Text: v.t("charge.mail")}},
	}
}

// chargeQR answers with the link of a charge's page as a QR code.
func (v *visit) chargeQR() error {
	c := v.readCharge()
	return v.qrOf(c.PaymentURL)
}

func txHash(p charge.PaymentView) string { return p.TxHash }

// moves reports whether the charge can still change by itself: it awaits payment, or a
// payment, possibly a late one, needs more confirmations.
func (c chargeView) moves() bool {
	deepens := func(p charge.PaymentView) bool { return p.Confirmations < c.ConfirmationsRequired }
	return c.Status == charge.Pending || (c.Status != charge.Confirmed && slices.ContainsFunc(c.Payments, deepens))
}

func (v *visit) chargeFacts(c chargeView) []fact {
	facts := []fact{
		named(v.t("charges.state"), v.state(c)),
		v.fact("amount", price(c.Amount, string(c.Currency))),
		v.fact("charge.asked", xmr(c.AmountXMR)),
		v.fact("charge.received", xmr(c.AmountReceivedXMR)),
		named(v.t("charge.address"), code(c.Subaddress)),
		v.fact("charge.link", v.t("link."+string(c.LinkState))),
		named(v.t("charge"), code(c.ID)),
	}
	request, payout := web.OrEmpty(c.PaymentRequestID), web.OrEmpty(c.PayoutID)
	optional := func(is bool, f fact) {
		if is {
			facts = append(facts, f)
		}
	}
	optional(c.Status != charge.Confirmed, v.fact("charge.expires", v.moment(c.ExpiresAt.String())))
	optional(c.about() != none, v.fact("charges.about", c.about()))
	optional(request != "", named(v.t("request"), cell{Text: request, Code: true, Href: "/payment-requests/" + request}))
	optional(payout != "", named(v.t("payout"), code(payout)))
	given := membersOf(c.stored()["buyer_info"])
	for _, name := range slices.Sorted(maps.Keys(given)) {
		facts = append(facts, named(name, plain(given.text(name))))
	}
	return facts
}

// timeline returns the events of a charge in order. It includes only the payments and refunds
// that the page lists.
func (v *visit) timeline(c chargeView, payments []charge.PaymentView, refunds []refundView) []kit.Event {
	type moment struct {
		at    *wire.Time
		event kit.Event
	}
	all := []moment{{&c.CreatedAt, kit.Event{Text: v.t("event.created")}}}
	for _, p := range payments {
		all = append(all, moment{&p.FirstSeenAt, kit.Event{Text: v.t("event.payment", xmr(p.AmountXMR)), Detail: v.t("event.depth", min(p.Confirmations, c.ConfirmationsRequired), c.ConfirmationsRequired)}})
	}
	all = append(all, moment{c.UnderpaidAcceptedAt, kit.Event{Text: v.t("event.accepted")}}, moment{c.ConfirmedAt, kit.Event{Text: v.t("event.confirmed")}})
	if c.Status == charge.Expired || c.Late {
		all = append(all, moment{&c.ExpiresAt, kit.Event{Text: v.t("event.expired"), Warn: true}})
	}
	for _, r := range refunds {
		all = append(all, moment{&r.CreatedAt, kit.Event{Text: v.t("event.refund", xmr(r.AmountXMR))}})
		for _, k := range r.Claims {
			all = append(all, moment{&k.CreatedAt, kit.Event{Text: v.t("event.claim", xmr(k.AmountXMR))}}, moment{k.SentAt, kit.Event{Text: v.t("event.refunded", xmr(k.AmountXMR))}})
		}
	}
	all = slices.DeleteFunc(all, func(m moment) bool { return m.at == nil })
	slices.SortStableFunc(all, func(a, b moment) int { return strings.Compare(a.at.String(), b.at.String()) })
	events := make([]kit.Event, len(all))
	for i, m := range all {
		m.event.At = v.moment(m.at.String())
		events[i] = m.event
	}
	return events
}

func (v *visit) paymentTable(required int32, payments []charge.PaymentView) *kit.Table {
	return table(v, "charge.payments", "charge.no_payment", payments, []column[charge.PaymentView]{
		{"charges.when", func(p charge.PaymentView) cell { return plain(v.moment(p.FirstSeenAt.String())) }},
		{"amount", func(p charge.PaymentView) cell { return plain(xmr(p.AmountXMR)) }},
		{"charge.depth", func(p charge.PaymentView) cell {
			return plain(v.t("charge.depth_of", min(p.Confirmations, required), required))
		}},
		{"transaction", func(p charge.PaymentView) cell { return code(p.TxHash) }},
	})
}

// chargeForms returns the forms for the actions that a charge allows now.
func (v *visit) chargeForms(c chargeView) []part {
	here := "/charges/" + c.ID
	var all []part
	if c.Status != charge.Confirmed && c.PaymentState == charge.Partial {
		all = append(all, part{Forms: []form{{
			Action: here + "/accept-underpaid", Title: v.t("accept.title"), Text: v.t("accept.text", xmr(c.AmountReceivedXMR), xmr(c.AmountXMR)), Button: v.t("accept.title"),
		}}})
	}
	if !v.sandbox() && c.Status == charge.Confirmed && len(c.Payments) > 0 {
		all = append(all, part{Forms: []form{v.refundForm(here)}})
	}
	toggle := form{
		Action: here + "/toggle-active", Title: v.t("charge.link"), Text: v.t("link.off_text"), Button: v.t("link.off"), Lesser: true, Hidden: switches(c.Active),
	}
	if !c.Active {
		toggle.Text, toggle.Button = v.t("link.on_text"), v.t("link.on")
	}
	return append(all, part{Forms: []form{toggle}})
}

// activeField is the hidden field for the state that a switch leads to. The API only toggles a
// link; this field makes a form that is sent twice lead to the same state.
const activeField = "active"

func switches(is bool) []kit.Hidden {
	return []kit.Hidden{{Name: activeField, Value: strconv.FormatBool(!is)}}
}

// toggles returns what the form of a switch does: it passes on, unless the link already is in the
// state that the form asks for.
func toggles(isActive func(*visit) (bool, error), api, to string) func(*visit) error {
	passOn := asks(api, nil, to)
	return func(v *visit) error {
		if v.r.PostForm.Has(activeField) {
			is, err := isActive(v)
			if err != nil {
				return err
			}
			if v.form(activeField) == strconv.FormatBool(is) {
				return v.done(v.at(to))
			}
		}
		return passOn(v)
	}
}

func (v *visit) isChargeActive() (bool, error) {
	active := v.readCharge().Active
	return active, v.failure()
}

// simulation is what the API does with a sandbox charge, and the content of the request.
type simulation struct {
	what    string
	content any
}

// simulations returns the actions for a sandbox charge.
func simulations() map[string]simulation {
	return map[string]simulation{
		"pay": {"pay", body{}}, "half": {"pay", body{"part": amount("0.5")}}, "confirm": {"confirm", body{}}, "reorg": {"reorg", body{}}, "expire": {"expire", nil},
	}
}

// sandboxButtons returns the buttons that pay a sandbox charge, if buttons pay it.
func (v *visit) sandboxButtons(c chargeView) part {
	p := part{Title: v.t("sandbox.try"), Row: true}
	if !v.Simulated {
		p.Text = v.t("refused.on_chain")
		return p
	}
	button := func(what, text string) {
		p.Forms = append(p.Forms, form{Action: "/charges/" + c.ID + "/test/" + what, Button: v.t(text), Small: true, First: len(p.Forms) == 0 && what != "expire"})
	}
	if c.AmountDueXMR > 0 {
		p.Text = v.t("sandbox.pay_text")
		button("pay", "sandbox.pay")
		button("half", "sandbox.half")
	}
	if len(c.Payments) > 0 {
		p.Text = v.t("sandbox.confirm_text")
		button("confirm", "sandbox.confirm")
		button("reorg", "sandbox.reorg")
	}
	if c.Status == charge.Pending {
		button("expire", "sandbox.expire")
	}
	return p
}

// retryForms returns a form that retries the pending deliveries of a sandbox charge.
func (v *visit) retryForms(c chargeView, all []answer) []form {
	waits := func(d answer) bool { return d.text("status") == "pending" && d.count("attempts") > 0 }
	if !v.sandbox() || !slices.ContainsFunc(all, waits) {
		return nil
	}
	return []form{{Action: "/charges/" + c.ID + "/retry-deliveries", Button: v.t("sandbox.retry"), Small: true}}
}

// simulate applies an action to a sandbox charge and shows the charge.
func (v *visit) simulate() error {
	how, known := simulations()[chi.URLParam(v.r, "what")]
	if !known {
		return v.redirect(v.at("/charges/{id}"))
	}
	if err := v.post(v.at("/api/test/charges/{id}/")+how.what, how.content, &struct{}{}); err != nil {
		return err
	}
	return v.done(v.at("/charges/{id}"))
}
