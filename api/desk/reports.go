package desk

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/api/web"
)

// reports shows a month, with a link to download it as a file.
func (v *visit) reports() error {
	m, err := me{Reporting: true}, error(nil)
	if v.may("getMe") { // for other roles the API itself answers that reports are off
		m, err = v.me()
	}
	if err != nil {
		return err
	}
	switches := part{Forms: []form{v.reportingForm(m)}}
	switches.Forms[0].Lesser = m.Reporting
	if !m.Reporting {
		return v.show(&page{Narrow: true, Text: v.t("reports.off"), Parts: []part{switches}}, v.t("nav.reports"))
	}
	begin := v.reportMonth()
	var sum struct {
		Charges     int    `json:"charges_confirmed"`
		Total       number `json:"total_xmr"`
		Fiat        number `json:"total_fiat"`
		Currency    string `json:"fiat_currency"`
		Fees        number `json:"platform_fees_xmr"`
		Payouts     int    `json:"payouts"`
		PayoutsSent number `json:"payouts_xmr"`
	}
	of := url.Values{"period": {"monthly"}, "year": {strconv.Itoa(begin.Year())}, "month": {strconv.Itoa(int(begin.Month()))}}
	if err := v.get("/api/reports/summary?"+of.Encode(), &sum); err != nil {
		return err
	}
	var listed struct {
		Transactions []map[string]json.RawMessage `json:"transactions"`
	}
	if sum.Charges <= mostReported {
		if err := v.get("/api/reports/transactions?"+v.monthSpan(begin).Encode(), &listed); err != nil {
			return err
		}
	}
	month := field{Name: "month", Label: v.t("reports.month"), Type: "month", Value: begin.Format("2006-01"), Max: 7}
	return v.show(&page{Parts: []part{
		{Forms: []form{{Action: "/reports", Get: true, Lesser: true, Button: v.t("reports.show"), Fields: []field{month}}}},
		{
			Title: begin.Format("2006-01"), Facts: []fact{
				named(v.t("reports.charges"), plain(strconv.Itoa(sum.Charges))), named(v.t("reports.total"), plain(xmr(sum.Total))),
				named(v.t("reports.fiat"), plain(money(sum.Fiat, sum.Currency))), named(v.t("reports.fees"), plain(xmr(sum.Fees))),
				named(v.t("reports.payouts"), plain(strconv.Itoa(sum.Payouts)+" · "+xmr(sum.PayoutsSent))),
			},
			Buttons: []link{{Href: "/reports/transactions.csv" + query("month", begin.Format("2006-01")), Text: v.t("reports.file")}},
		},
		{Table: v.reportTable(sum.Charges, listed.Transactions)}, switches,
	}}, v.t("nav.reports"))
}

// mostReported is the maximum number of a month's charges that the page shows. Only the file
// has all of them.
const mostReported = 100

func (v *visit) reportTable(charges int, all []map[string]json.RawMessage) *sheetTable {
	t := &sheetTable{
		Label: v.t("nav.reports"), Empty: v.t("reports.none"),
		Columns: []string{v.t("charges.when"), v.t("amount"), "XMR", v.t("reports.fiat"), v.t("charge")},
	}
	if charges > mostReported {
		t.Empty = v.t("reports.too_many", charges)
	}
	for _, row := range all {
		text := func(name string) string { return shown(row[name]) }
		at := text("confirmed_at")
		t.Rows = append(t.Rows, []cell{
			plain(v.moment(&at)), plain(text("amount") + " " + text("currency")), plain(text("amount_received_xmr")), plain(text("fiat_value") + " " + text("fiat_currency")),
			v.chargeCell(text("charge_id")),
		})
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
	span := v.monthSpan(v.reportMonth())
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
func (*visit) monthSpan(begin time.Time) url.Values {
	return url.Values{"from": {begin.Format(time.RFC3339)}, "to": {begin.AddDate(0, 1, 0).Format(time.RFC3339)}}
}

func (v *visit) reportingForm(m me) form {
	return form{Action: "/reports", Title: v.t("reports.switch"), Text: v.t("reports.switch_text"), Button: v.t("save"), Lesser: true, Fields: []field{
		{Name: "enabled", Label: v.t("reports.on"), Type: "checkbox", Checked: v.chosen("enabled", "on", m.Reporting)},
		v.choice("currency", "currency", "", m.ReportingCurrency, "EUR", "USD"),
	}}
}

// setReporting switches reports on or off.
func (v *visit) setReporting() error {
	if err := v.put("/api/account/reporting", body{"enabled": v.form("enabled") != "", "reporting_currency": v.form("currency")}); err != nil {
		return err
	}
	return v.done("/reports")
}
