package desk

import (
	"slices"
	"strconv"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/report"
)

// home shows the most important information first.
func (v *visit) home() error {
	o := v.read("/api/overview")
	attention := v.attention(o)
	if !v.may("listPayouts") && !v.may("createRefund") {
		attention = part{} // the API omits these counts for a role that sees only today
	}
	todo, sales := v.setup(), v.days(o)
	actions := []link{{Href: "/ask", Text: v.t("ask.make")}, {Href: "/till", Text: v.t("till.open")}}
	var parts []part
	if len(todo) > 0 {
		parts, sales.Buttons = todo, actions
	} else {
		parts = []part{{Buttons: actions}}
	}
	if attention.Title != "" && (len(todo) == 0 || attention.Text == "" || o.count("pending") > 0) {
		parts = append(parts, attention)
	}
	parts = append(parts, sales)
	if !o.is("payments_seen") {
		parts = slices.Insert(parts, 0, part{Title: v.t("unseen.title"), Text: v.t("unseen.text")})
	}
	switch {
	case !v.may("getBalance"):
	case v.sandbox():
		parts = append(parts, part{Title: v.t("home.sandbox"), Text: v.t("home.sandbox_text"), Links: []link{
			{Href: "/docs/merchant/quickstart", Text: v.t("docs")}, {Href: "/keys", Text: v.t("keys.title")},
		}})
	default:
		b := v.read("/api/payouts/balance")
		parts = append(parts, part{Title: v.t("balance"), Facts: v.balanceFacts(b), Links: []link{{Href: "/payouts", Text: v.t("nav.payouts")}}})
	}
	return v.show(&page{Parts: append(parts, v.service(v.ownRate()))}, v.t("nav.home"))
}

// attention lists the merchant's open tasks.
func (v *visit) attention(o answer) part {
	p := part{Title: v.t("attention")}
	add := func(name, text, path string) {
		if n := o.count(name); n > 0 {
			p.Facts = append(p.Facts, named(v.t(text), cell{Text: strconv.Itoa(n), Warn: true, Href: path}))
		}
	}
	if !v.sandbox() { // which has no refunds
		add("refunds_to_approve", "attention.refunds", "/refunds?attention=to_approve")
	}
	add("underpaid", "attention.underpaid", "/charges?attention=underpaid")
	add("late", "attention.late", "/charges?attention=late")
	add("failed_deliveries", "attention.deliveries", "/deliveries?attention=failed")
	if len(p.Facts) == 0 {
		p.Text = v.t("attention.none")
	}
	p.Facts = append(p.Facts, named(v.t("attention.pending"), cell{Text: o.text("pending"), Href: "/charges?attention=pending"}))
	return p
}

// days shows the sums of today and of the last days.
func (v *visit) days(o answer) part {
	days := o.list("days")
	if len(days) == 0 {
		return part{}
	}
	first, today := days[0].text("day"), days[len(days)-1].text("day")
	var all, month, last sum
	values, texts := make([]money.Piconero, len(days)), make([]string, len(days))
	for i, d := range days {
		last = sumOf(d)
		values[i], texts[i] = last.received, d.text("day")+": "+xmr(last.received)
		all.add(last)
		if strings.HasPrefix(d.text("day"), today[:len("2006-01")]) {
			month.add(last)
		}
	}
	sales := part{Title: v.t("home.lately"), Facts: []fact{v.fact("home.today", v.summed(last))}}
	if len(days) == 1 {
		return sales // a role that sees only today
	}
	if all.received > 0 {
		sales.Chart = kit.NewChart(v.t("home.chart", len(days), xmr(all.received)), values, texts)
		sales.Chart.First, sales.Chart.Last = first, today
	}
	sales.Facts = append(sales.Facts, v.fact("home.this_month", v.summed(month)), named(v.t("home.month", len(days)), plain(v.summed(all))))
	return sales
}

// sum adds up the charges of some days.
type sum struct {
	received money.Piconero
	charges  int
}

// sumOf returns the charges of one day.
func sumOf(day answer) sum { return sum{day.xmr("received_xmr"), day.count("confirmed")} }

func (s *sum) add(o sum) { s.received, s.charges = s.received+o.received, s.charges+o.charges }

// summed shows a sum: the amount and the number of charges.
func (v *visit) summed(s sum) string {
	return xmr(s.received) + " · " + v.translator().Count("home.charges", s.charges)
}

// balanceFacts returns the parts of the merchant's balance.
func (v *visit) balanceFacts(b answer) []fact {
	worth := v.worth()
	facts := []fact{
		v.fact("balance.total", xmr(b.number("total_xmr"))+worth(b.xmr("total_xmr"))),
		named(v.t("balance.spendable"), cell{Text: xmr(available(b)) + worth(available(b)), Good: true}),
	}
	for _, more := range [][2]string{{"balance.locked", "locked_xmr"}, {"balance.payouts", "in_payouts_xmr"}, {"balance.refunds", "in_refunds_xmr"}} {
		if b.xmr(more[1]) > 0 {
			facts = append(facts, v.fact(more[0], xmr(b.number(more[1]))))
		}
	}
	facts = append(facts, v.fact("balance.fee", percent(b.number("fee_rate"))))
	if b.count("unpaid_charges") > 0 {
		facts = append(facts, v.fact("balance.net", xmr(b.number("net_xmr"))+worth(b.xmr("net_xmr"))), v.fact("balance.charges", b.text("unpaid_charges")))
	}
	if until := b.text("payout_hold_until"); until != "" {
		facts = append(facts, named(v.t("balance.hold"), cell{Text: v.moment(until), Warn: true}))
	}
	if !b.is("has_payout_address") {
		facts = append(facts, named(v.t("payout_address"), cell{Text: v.t("balance.no_address"), Warn: true, Href: "/settings"}))
	}
	return facts
}

// available returns what a payout now would take of the balance.
func available(b answer) money.Piconero { return b.xmr("total_xmr").SubFloor(b.xmr("locked_xmr")) }

// worth returns a function that shows the value of an amount in the person's currency at the current
// price. It shows nothing for XMR, and while there is no price.
func (v *visit) worth() func(money.Piconero) string {
	currency := v.ownCurrency()
	var quote struct {
		Price money.Decimal `json:"price"`
	}
	if currency == string(money.XMR) || v.failed != nil || v.get("/api/price/xmr"+query("currency", currency), &quote) != nil {
		return func(money.Piconero) string { return "" }
	}
	return func(amount money.Piconero) string {
		return " ≈ " + price(report.ValueOf(amount, quote.Price), currency)
	}
}

// payouts shows the amount available, a form to pay it out, and earlier payouts.
func (v *visit) payouts() error {
	b := v.read("/api/payouts/balance")
	all := v.list("/api/payouts", "payouts")
	shown, next := partOf(v, list[answer]{page: "/payouts", cursor: "cursor", atOnce: listedAtOnce, id: func(o answer) string { return o.text("payout_id") }}, all)
	t := table(v, "nav.payouts", "payouts.none", shown, columns{
		{"amount", func(o answer) cell {
			sent := xmr(o.number("amount_xmr"))
			if refund := o.number("refund_xmr"); refund != "" {
				sent += " + " + v.t("payouts.refund", xmr(refund))
			}
			return plain(sent)
		}},
		{"charges.state", func(o answer) cell {
			state := cell{Text: v.t("payout." + o.text("status")), Good: o.text("status") == "confirmed"}
			if reason := o.text("error"); reason != "" {
				state.Text, state.Warn = state.Text+": "+reason, true
			}
			return state
		}},
		{"payouts.to", func(o answer) cell {
			to := code(o.text("address"))
			if id := o.text("swap_id"); id != "" {
				to.Links = []link{{Href: "/swaps/" + id, Text: v.t("swap")}}
			}
			return to
		}},
		{"charges.when", v.when("created_at")},
		{"payouts.fees", func(o answer) cell { return plain(xmr(o.number("fee_xmr")) + " + " + xmr(o.number("network_fee_xmr"))) }},
		{"transaction", func(o answer) cell { return code(orNone(o.text("tx_hash"))) }},
	})
	t.Brief = true
	estimate := part{Title: v.t("balance"), Facts: v.balanceFacts(b)}
	switch {
	case !b.is("has_payout_address"):
		estimate.Text = v.t("settings.address_none")
		estimate.Buttons = []link{{Href: "/settings", Text: v.t("setup.payout_address")}}
	case b.count("unpaid_charges") == 0:
		estimate.Text = v.t("refused.nothing_unpaid")
	case available(b) == 0:
		estimate.Text = v.t("refused.money_locked")
	default:
		estimate.Forms = []form{{
			Action: "/payouts/sweep", Sure: v.t("payouts.sweep"), Warning: v.t("payouts.sweep_text", xmr(available(b))), Button: v.t("payouts.sweep_sure", xmr(available(b))),
		}}
	}
	return v.show(&page{Parts: []part{estimate, {Title: v.t("payouts.past"), Table: t, Next: next}}}, v.t("nav.payouts"))
}
