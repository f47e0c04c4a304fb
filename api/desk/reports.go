package desk

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

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
	t := table(v, "nav.reports", "reports.none", all, columns{
		{"amount", func(row answer) cell {
			return cell{Text: price(row.number("amount"), row.text("currency")), Href: "/charges/" + row.text("charge_id"), Row: true}
		}},
		{"reports.fiat", func(row answer) cell { return plain(price(row.number("fiat_value"), row.text("fiat_currency"))) }},
		{"charge.received", func(row answer) cell { return plain(xmr(row.number("amount_received_xmr"))) }}, {"charges.when", v.when("confirmed_at")},
	})
	t.Brief = true
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
	if !isOn {
		return form{
			Action: "/reports", Text: v.t("reports.switch_text"), Button: v.t("setup.reports"), Hidden: []kit.Hidden{{Name: "enabled", Value: "on"}},
			Fields: []field{v.choice("currency", "currency", "", v.ownCurrency(), "EUR", "USD")},
		}
	}
	return form{Action: "/reports", Title: v.t("reports.switch"), Text: v.t("reports.switch_text"), Button: v.t("save"), Lesser: true, Fields: []field{
		{Name: "enabled", Label: v.t("reports.on"), Type: "checkbox", Checked: v.chosen("/reports", "enabled", "on", true)},
		v.choice("currency", "currency", "", m.text("reportingCurrency"), "EUR", "USD"),
	}}
}

func (v *visit) typedReporting() body {
	return body{"enabled": v.form("enabled") != "", "reporting_currency": v.form("currency")}
}
