package desk

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/sheet"
)

// refreshCharge is the interval, in seconds, at which the page of an unfinished charge reloads
// itself.
const refreshCharge = 15

// charge shows one charge: its facts, its history and its actions.
func (v *visit) charge() error {
	var c chargeAnswer
	if err := v.get("/api/charges/"+v.id(), &c); err != nil {
		return err
	}
	var refunds struct {
		Refunds []refundAnswer `json:"refunds"`
	}
	if v.may("listChargeRefunds") {
		if err := v.get("/api/charges/"+v.id()+"/refunds", &refunds); err != nil {
			return err
		}
	}
	here := "/charges/" + c.ID
	slices.Reverse(c.Payments)
	paid, morePaid := partOf(v, list[chargePayment]{page: here, cursor: "payments", atOnce: amongOthers, id: chargePayment.id}, c.Payments)
	slices.Reverse(refunds.Refunds)
	refunded, moreRefunded := partOf(v, list[refundAnswer]{page: here, cursor: "refunds", atOnce: amongOthers, id: refundAnswer.id, rows: refundAnswer.rows}, refunds.Refunds)
	p := &page{Parts: []part{{Facts: v.chargeFacts(c), Buttons: []link{{Href: c.PaymentURL, Text: v.t("charge.page")}}}}}
	if buttons := v.sandboxButtons(c); v.sandbox() && (len(buttons.Forms) > 0 || buttons.Text != "") {
		p.Parts = append(p.Parts, buttons)
	}
	p.Parts = append(p.Parts, []part{
		{Title: v.t("charge.timeline"), Events: v.timeline(c, paid, refunded)},
		{Title: v.t("charge.payments"), Table: v.paymentTable(c.Required, paid), Next: morePaid},
	}...)
	if v.may("listDeliveries") {
		told, err := v.deliveriesOf(c.ID)
		if err != nil {
			return err
		}
		shown, more := partOf(v, list[deliveryAnswer]{page: here, cursor: "deliveries", atOnce: amongOthers, id: deliveryAnswer.id}, told)
		p.Parts = append(p.Parts, part{Title: v.t("charge.deliveries"), Table: v.deliveryTable(shown), Next: more, Forms: v.retryForms(c, told)})
	}
	if len(refunds.Refunds) > 0 {
		p.Parts = append(p.Parts, part{Title: v.t("nav.refunds"), Table: v.refundTable(refunded), Next: moreRefunded})
	}
	p.Parts = append(p.Parts, part{Forms: v.chargeForms(c)})
	if c.moves() && v.problem == "" {
		v.refresh = refreshCharge
	}
	return v.show(p, v.t("charge.title", money(c.Amount, c.Currency)))
}

// moves reports whether the charge can still change by itself: it awaits payment, or a
// payment, possibly a late one, needs more confirmations.
func (c chargeAnswer) moves() bool {
	deepens := func(p chargePayment) bool { return p.Confirmations < c.Required }
	return c.Status == "pending" || (c.Status != "confirmed" && slices.ContainsFunc(c.Payments, deepens))
}

func (v *visit) chargeFacts(c chargeAnswer) []fact {
	facts := []fact{
		named(v.t("charges.state"), v.state(c)),
		named(v.t("amount"), plain(money(c.Amount, c.Currency))),
		named(v.t("charge.asked"), plain(xmr(c.AmountXMR))),
		named(v.t("charge.received"), plain(xmr(c.Received))),
		named(v.t("charge.address"), code(c.Subaddress)),
		named(v.t("charge.link"), plain(v.t("link."+c.LinkState))),
		named(v.t("charge"), code(c.ID)),
	}
	if c.Status != "confirmed" {
		facts = append(facts, named(v.t("charge.expires"), plain(v.moment(&c.ExpiresAt))))
	}
	if c.about() != none {
		facts = append(facts, named(v.t("charges.about"), plain(c.about())))
	}
	if c.RequestID != nil {
		facts = append(facts, named(v.t("request"), cell{Text: *c.RequestID, Code: true, Href: "/payment-requests/" + *c.RequestID}))
	}
	if c.PayoutID != nil {
		facts = append(facts, named(v.t("payout"), code(*c.PayoutID)))
	}
	given := membersOf(c.stored()["buyer_info"])
	for _, name := range slices.Sorted(maps.Keys(given)) {
		facts = append(facts, named(name, plain(shown(given[name]))))
	}
	return facts
}

// timeline returns the events of a charge in order. It includes only the payments and refunds
// that the page lists.
func (v *visit) timeline(c chargeAnswer, payments []chargePayment, refunds []refundAnswer) []sheet.Event {
	type moment struct {
		at    string
		event sheet.Event
	}
	all := []moment{{c.CreatedAt, sheet.Event{Text: v.t("event.created")}}}
	for _, p := range payments {
		all = append(all, moment{p.FirstSeenAt, sheet.Event{Text: v.t("event.payment", xmr(p.Amount)), Detail: v.t("event.depth", min(p.Confirmations, c.Required), c.Required)}})
	}
	if c.AcceptedAt != nil {
		all = append(all, moment{*c.AcceptedAt, sheet.Event{Text: v.t("event.accepted")}})
	}
	if c.ConfirmedAt != nil {
		all = append(all, moment{*c.ConfirmedAt, sheet.Event{Text: v.t("event.confirmed")}})
	}
	if c.Status == "expired" || c.Late {
		all = append(all, moment{c.ExpiresAt, sheet.Event{Text: v.t("event.expired"), Warn: true}})
	}
	for _, r := range refunds {
		all = append(all, moment{r.CreatedAt, sheet.Event{Text: v.t("event.refund", xmr(r.Amount))}})
		for _, k := range r.Claims {
			all = append(all, moment{k.CreatedAt, sheet.Event{Text: v.t("event.claim", xmr(k.Amount))}})
			if k.SentAt != nil {
				all = append(all, moment{*k.SentAt, sheet.Event{Text: v.t("event.refunded", xmr(k.Amount))}})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int { return strings.Compare(a.at, b.at) })
	events := make([]sheet.Event, len(all))
	for i, m := range all {
		m.event.At = v.moment(&m.at)
		events[i] = m.event
	}
	return events
}

func (v *visit) paymentTable(required int, payments []chargePayment) *sheetTable {
	t := &sheetTable{Label: v.t("charge.payments"), Columns: []string{v.t("charges.when"), v.t("amount"), v.t("charge.depth"), v.t("transaction")}, Empty: v.t("charge.no_payment")}
	for _, p := range payments {
		t.Rows = append(t.Rows, []cell{
			plain(v.moment(&p.FirstSeenAt)), plain(xmr(p.Amount)), plain(v.t("charge.depth_of", min(p.Confirmations, required), required)), code(p.TxHash),
		})
	}
	return t
}

// chargeForms returns the forms for the actions that a charge allows now.
func (v *visit) chargeForms(c chargeAnswer) []form {
	here := "/charges/" + c.ID
	var all []form
	if c.Status != "confirmed" && c.PaymentState == "partial" {
		all = append(all, form{
			Action: here + "/accept-underpaid", Title: v.t("accept.title"), Text: v.t("accept.text", xmr(c.Received), xmr(c.AmountXMR)), Button: v.t("accept.title"),
		})
	}
	if !v.sandbox() && c.Status == "confirmed" && len(c.Payments) > 0 {
		all = append(all, v.refundForm(here))
	}
	toggle := form{
		Action: here + "/toggle-active", Title: v.t("charge.link"), Text: v.t("link.off_text"), Button: v.t("link.off"), Lesser: true, Hidden: switches(c.Active),
	}
	if !c.Active {
		toggle.Text, toggle.Button = v.t("link.on_text"), v.t("link.on")
	}
	return append(all, toggle)
}

// acceptUnderpaid takes a charge as paid.
func (v *visit) acceptUnderpaid() error { return v.changeCharge("accept-underpaid") }

// activeField is the hidden field for the state that a switch leads to. The API only toggles a
// link; this field makes a form that is sent twice lead to the same state.
const activeField = "active"

func switches(is bool) []sheet.Hidden {
	return []sheet.Hidden{{Name: activeField, Value: strconv.FormatBool(!is)}}
}

// isSwitched reports whether a link is already in the state that the form asks for.
func (v *visit) isSwitched(is bool) bool { return v.form(activeField) == strconv.FormatBool(is) }

// toggleCharge switches the link of a charge.
func (v *visit) toggleCharge() error {
	if v.r.PostForm.Has(activeField) {
		var c chargeAnswer
		if err := v.get("/api/charges/"+v.id(), &c); err != nil {
			return err
		}
		if v.isSwitched(c.Active) {
			return v.done("/charges/" + v.id())
		}
	}
	return v.changeCharge("toggle-active")
}

func (v *visit) changeCharge(what string) error {
	if err := v.post("/api/charges/"+v.id()+"/"+what, nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/charges/" + v.id())
}

// simulations returns the actions for a sandbox charge. The names are those of the API.
func simulations() []string { return []string{"pay", "half", "confirm", "reorg", "expire"} }

// sandboxButtons returns the buttons that pay a sandbox charge, if buttons pay it.
func (v *visit) sandboxButtons(c chargeAnswer) part {
	p := part{Title: v.t("sandbox.try"), Row: true}
	if !v.Simulated {
		p.Text = v.t("refused.on_chain")
		return p
	}
	button := func(what, text string) {
		p.Forms = append(p.Forms, form{Action: "/charges/" + c.ID + "/test/" + what, Button: v.t(text), Small: true, First: len(p.Forms) == 0 && what != "expire"})
	}
	if c.Due.String() != "" && atomic(c.Due).Sign() > 0 {
		p.Text = v.t("sandbox.pay_text")
		button("pay", "sandbox.pay")
		button("half", "sandbox.half")
	}
	if len(c.Payments) > 0 {
		p.Text = v.t("sandbox.confirm_text")
		button("confirm", "sandbox.confirm")
		button("reorg", "sandbox.reorg")
	}
	if c.Status == "pending" {
		button("expire", "sandbox.expire")
	}
	return p
}

// retryForms returns a form that retries the pending deliveries of a sandbox charge.
func (v *visit) retryForms(c chargeAnswer, all []deliveryAnswer) []form {
	waits := func(d deliveryAnswer) bool { return d.Status == "pending" && d.Attempts > 0 }
	if !v.sandbox() || !slices.ContainsFunc(all, waits) {
		return nil
	}
	return []form{{Action: "/charges/" + c.ID + "/retry-deliveries", Button: v.t("sandbox.retry"), Small: true}}
}

// retryDeliveries makes the next attempt of a charge's deliveries now.
func (v *visit) retryDeliveries() error {
	if err := v.post("/api/test/charges/"+v.id()+"/retry-deliveries", nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/charges/" + v.id())
}

// simulate applies an action to a sandbox charge and shows the charge.
func (v *visit) simulate() error {
	what := chi.URLParam(v.r, "what")
	if !slices.Contains(simulations(), what) {
		return v.redirect("/charges/" + v.id())
	}
	var content any = body{}
	switch what {
	case "half":
		what, content = "pay", body{"part": amount("0.5")}
	case "expire":
		content = nil
	}
	if err := v.post("/api/test/charges/"+v.id()+"/"+what, content, &struct{}{}); err != nil {
		return err
	}
	return v.done("/charges/" + v.id())
}
