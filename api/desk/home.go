package desk

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/money"
)

// home shows the most important information first.
func (v *visit) home() error {
	o := v.read("/api/overview")
	attention := v.attention(o)
	if !v.may("listPayouts") && !v.may("createRefund") {
		attention = part{} // the API omits these counts for a role that sees only today
	}
	parts := []part{{
		Buttons: []link{{Href: "/ask", Text: v.t("nav.ask")}, {Href: "/till", Text: v.t("nav.till")}},
	}, attention, v.days(o)}
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
	return v.show(&page{Parts: parts}, v.t("nav.home"))
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
	chart := kit.NewChart(v.t("home.chart", len(days), xmr(all.received)), values, texts)
	chart.First, chart.Last = first, today
	return part{
		Title: v.t("home.lately"), Chart: chart,
		Facts: []fact{
			v.fact("home.today", v.summed(last)), v.fact("home.this_month", v.summed(month)),
			named(v.t("home.month", len(days)), plain(v.summed(all))),
		},
	}
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
	spendable := b.xmr("total_xmr").SubFloor(b.xmr("locked_xmr"))
	facts := []fact{
		v.fact("balance.total", xmr(b.number("total_xmr"))),
		named(v.t("balance.spendable"), cell{Text: xmr(spendable), Good: true}),
		v.fact("balance.locked", xmr(b.number("locked_xmr"))),
		v.fact("balance.payouts", xmr(b.number("in_payouts_xmr"))),
		v.fact("balance.refunds", xmr(b.number("in_refunds_xmr"))),
		v.fact("balance.fee", percent(b.number("fee_rate"))),
		v.fact("balance.net", xmr(b.number("net_xmr"))),
		v.fact("balance.charges", b.text("unpaid_charges")),
	}
	if until := b.text("payout_hold_until"); until != "" {
		facts = append(facts, named(v.t("balance.hold"), cell{Text: v.moment(until), Warn: true}))
	}
	if !b.is("has_payout_address") {
		facts = append(facts, named(v.t("payout_address"), cell{Text: v.t("balance.no_address"), Warn: true, Href: "/settings"}))
	}
	return facts
}

// payouts shows the amount available, a form to pay it out, and earlier payouts.
func (v *visit) payouts() error {
	b := v.read("/api/payouts/balance")
	all := v.list("/api/payouts", "payouts")
	shown, next := partOf(v, list[answer]{page: "/payouts", cursor: "cursor", atOnce: listedAtOnce, id: func(o answer) string { return o.text("payout_id") }}, all)
	t := table(v, "nav.payouts", "payouts.none", shown, columns{
		{"charges.when", v.when("created_at")},
		{"amount", func(o answer) cell {
			sent := xmr(o.number("amount_xmr"))
			if refund := o.number("refund_xmr"); refund != "" {
				sent += " + " + v.t("payouts.refund", xmr(refund))
			}
			return plain(sent)
		}},
		{"payouts.fees", func(o answer) cell { return plain(xmr(o.number("fee_xmr")) + " + " + xmr(o.number("network_fee_xmr"))) }},
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
		{"transaction", func(o answer) cell { return code(orNone(o.text("tx_hash"))) }},
	})
	estimate := part{Title: v.t("balance"), Facts: v.balanceFacts(b)}
	switch {
	case b.count("unpaid_charges") == 0:
		estimate.Text = v.t("refused.nothing_unpaid")
	case b.is("has_payout_address"):
		estimate.Forms = []form{{Action: "/payouts/sweep", Text: v.t("payouts.sweep_text", xmr(b.number("net_xmr"))), Button: v.t("payouts.sweep")}}
	default:
		estimate.Text = v.t("settings.address_none")
		estimate.Buttons = []link{{Href: "/settings", Text: v.t("payout_address")}}
	}
	return v.show(&page{Parts: []part{estimate, {Title: v.t("payouts.past"), Table: t, Next: next}}}, v.t("nav.payouts"))
}

// reports shows a month, with a link to download it as a file.
func (v *visit) reports() error {
	m, isOn := answer(nil), true
	if v.may("getMe") { // for other roles the API itself answers that reports are off
		m = v.me()
		isOn = m.is("reportingEnabled")
	}
	switches := part{Forms: []form{v.reportingForm(m, isOn)}}
	if !isOn {
		return v.show(&page{Narrow: true, Text: v.t("reports.off"), Parts: []part{switches}}, v.t("nav.reports"))
	}
	begin := v.reportMonth()
	of := url.Values{"period": {"monthly"}, "year": {strconv.Itoa(begin.Year())}, "month": {strconv.Itoa(int(begin.Month()))}}
	sum := v.read("/api/reports/summary?" + of.Encode())
	charges := sum.count("charges_confirmed")
	var listed []answer
	if charges <= mostReported {
		listed = v.list("/api/reports/transactions?"+monthSpan(begin).Encode(), "transactions")
	}
	month := field{Name: "month", Label: v.t("reports.month"), Type: "month", Value: begin.Format("2006-01"), Max: 7}
	return v.show(&page{Parts: []part{
		{Forms: []form{{Action: "/reports", Get: true, Lesser: true, Button: v.t("reports.show"), Fields: []field{month}}}},
		{
			Title: begin.Format("2006-01"), Facts: []fact{
				v.fact("reports.charges", strconv.Itoa(charges)), v.fact("reports.total", xmr(sum.number("total_xmr"))),
				v.fact("reports.fiat", price(sum.number("total_fiat"), sum.text("fiat_currency"))), v.fact("reports.fees", xmr(sum.number("platform_fees_xmr"))),
				v.fact("reports.payouts", sum.text("payouts")+" · "+xmr(sum.number("payouts_xmr"))),
			},
			Buttons: []link{{Href: "/reports/transactions.csv" + query("month", begin.Format("2006-01")), Text: v.t("reports.file")}},
		},
		{Table: v.reportTable(charges, listed)}, switches,
	}}, v.t("nav.reports"))
}

// mostReported is the maximum number of a month's charges that the page shows. Only the file
// has all of them.
const mostReported = 100

func (v *visit) reportTable(charges int, all []answer) *kit.Table {
	both := func(value, currency string) func(answer) cell {
		return func(row answer) cell { return plain(row.text(value) + " " + row.text(currency)) }
	}
	t := table(v, "nav.reports", "reports.none", all, columns{
		{"charges.when", v.when("confirmed_at")}, {"amount", both("amount", "currency")}, {"XMR", func(row answer) cell { return plain(row.text("amount_received_xmr")) }},
		{"reports.fiat", both("fiat_value", "fiat_currency")}, {"charge", func(row answer) cell { return chargeCell(row.text("charge_id")) }},
	})
	if charges > mostReported {
		t.Empty = v.t("reports.too_many", charges)
	}
	return t
}

// reportMonth returns the month of the query, or the current month if the query has no valid
// one.
func (v *visit) reportMonth() time.Time {
	begin, err := time.Parse("2006-01", v.r.URL.Query().Get("month"))
	if err != nil || begin.Year() < 2000 || begin.Year() > 9000 {
		now := v.Clock().UTC()
		begin = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return begin
}

// reportFile sends a month as the API's table, for a spreadsheet.
func (v *visit) reportFile() error {
	span := monthSpan(v.reportMonth())
	span.Set("format", "csv")
	return web.Forward(v.API, &spreadsheet{ResponseWriter: v.w}, v.asDesk(), v.requestTo(http.MethodGet, "/api/reports/transactions?"+span.Encode(), nil))
}

// spreadsheet writes a byte order mark in front of a table, because Excel reads a file
// without one in the code page of its machine. Other answers pass unchanged.
type spreadsheet struct {
	http.ResponseWriter

	begun bool
}

// Write marks the table before its first byte.
func (s *spreadsheet) Write(b []byte) (int, error) {
	if !s.begun && strings.HasPrefix(s.Header().Get("Content-Type"), "text/csv") {
		if _, err := s.ResponseWriter.Write([]byte("\uFEFF")); err != nil {
			return 0, err
		}
	}
	s.begun = true
	return s.ResponseWriter.Write(b)
}

// Unwrap lets the API flush as it writes.
func (s *spreadsheet) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// monthSpan returns the query parameters for the charges confirmed in a month.
func monthSpan(begin time.Time) url.Values {
	return url.Values{"from": {begin.Format(time.RFC3339)}, "to": {begin.AddDate(0, 1, 0).Format(time.RFC3339)}}
}

func (v *visit) reportingForm(m answer, isOn bool) form {
	return form{Action: "/reports", Title: v.t("reports.switch"), Text: v.t("reports.switch_text"), Button: v.t("save"), Lesser: isOn, Fields: []field{
		{Name: "enabled", Label: v.t("reports.on"), Type: "checkbox", Checked: v.chosen("enabled", "on", isOn)},
		v.choice("currency", "currency", "", m.text("reportingCurrency"), "EUR", "USD"),
	}}
}

func (v *visit) typedReporting() body {
	return body{"enabled": v.form("enabled") != "", "reporting_currency": v.form("currency")}
}
