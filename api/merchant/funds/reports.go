package funds

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/report"
	"github.com/durapay/durapay/internal/wire"
)

// Reports answers requests about reports.
type Reports struct {
	Store  *postgres.Store
	Errors httpapi.Errors
	Clock  func() time.Time
	Log    *slog.Logger
}

// Register registers the reports, their setting and the overview.
func (h *Reports) Register(api operation.API) {
	const transactions = "GET /api/reports/transactions"
	operation.WithSession(api, operation.Route{ID: "setReporting", At: "PUT /api/account/reporting"}, h.setReporting)
	operation.WithKey(api, operation.Route{ID: "reportTransactions", At: transactions, Permission: permission.ViewReports, Slow: true}, h.transactions)
	operation.Describe[transactionReport](api, transactions, http.StatusOK, httpapi.JSON)
	operation.Describe[csvFile](api, transactions, http.StatusOK, "text/csv")
	operation.WithKey(api, operation.Route{ID: "reportSummary", At: "GET /api/reports/summary", Permission: permission.ViewReports}, h.summary)
	operation.WithKey(api, operation.Route{ID: "getOverview", At: "GET /api/overview", Permission: permission.ViewInvoices}, h.overview)
}

// reportDays is the length of a report in days if the request names no start.
const reportDays = 30

type summary struct {
	Period           report.Kind    `json:"period" enum:"monthly,quarterly,annual"`
	Year             int            `json:"year" example:"2026"`
	Month            *int           `json:"month" doc:"1 to 12; null unless period is monthly" example:"11"`
	Quarter          *int           `json:"quarter" doc:"1 to 4; null unless period is quarterly"`
	From             wire.Time      `json:"from" doc:"Begin of the period, in UTC"`
	To               wire.Time      `json:"to" doc:"End of the period, which is not part of it"`
	ChargesConfirmed int64          `json:"charges_confirmed" doc:"Charges confirmed in the period"`
	TotalXMR         money.Decimal  `json:"total_xmr" doc:"What they received, in XMR"`
	TotalFiat        money.Decimal  `json:"total_fiat" doc:"Sum of their fiat values in fiat_currency; charges without one are not in it"`
	FiatCurrency     money.Currency `json:"fiat_currency" enum:"USD,EUR" doc:"The reporting currency"`
	PlatformFeesXMR  money.Decimal  `json:"platform_fees_xmr" doc:"Operator's fees of the payouts, in XMR"`
	Payouts          int64          `json:"payouts" doc:"Payouts sent in the period; none in the sandbox"`
	PayoutsXMR       money.Decimal  `json:"payouts_xmr" doc:"Net amount that they sent, in XMR"`
	Refunds          int64          `json:"refunds,omitempty" doc:"Claims of refunds that were sent; only there when some were"`
	RefundsXMR       *money.Decimal `json:"refunds_xmr,omitempty" doc:"What they paid to buyers, in XMR; only there with refunds"`
}

// mayReport returns the reporting currency. It returns 403 while reporting is off.
func (h *Reports) mayReport(ctx context.Context, caller access.Key) (money.Currency, error) {
	row, err := h.Store.GetReporting(ctx, caller.MerchantID)
	if err != nil {
		return "", err
	}
	if !row.ReportingEnabled {
		return "", httpapi.Forbidden("reporting is disabled for this account")
	}
	return money.Currency(row.ReportingCurrency), nil
}

func (h *Reports) transactions(ctx context.Context, caller access.Key, in *struct{ httpapi.Query }) (*stream, error) {
	if _, err := h.mayReport(ctx, caller); err != nil {
		return nil, err
	}
	span, err := spanOf(&in.Query, h.Clock())
	if err != nil {
		return nil, err
	}
	format, err := in.OneOf("format")
	if err != nil {
		return nil, err
	}
	fiat, err := in.OneOf("include_fiat")
	if err != nil {
		return nil, err
	}
	return h.streamReport(span, format, fiat == "true", h.Store.Transactions(ctx, caller.MerchantID, caller.Mode, span)), nil
}

// spanOf returns the time range of the parameters from and to.
func spanOf(q *httpapi.Query, now time.Time) (report.Span, error) {
	from, err := q.Moment("from", now.AddDate(0, 0, -reportDays))
	if err != nil {
		return report.Span{}, err
	}
	to, err := q.Moment("to", now)
	if err != nil {
		return report.Span{}, err
	}
	if from.After(to) {
		return report.Span{}, httpapi.BadRequest("from must not be after to")
	}
	return report.Span{From: from, To: to}, nil
}

func (h *Reports) summary(ctx context.Context, caller access.Key, in *struct{ httpapi.Query }) (*httpapi.Out[summary], error) {
	currency, err := h.mayReport(ctx, caller)
	if err != nil {
		return nil, err
	}
	period, err := periodOf(&in.Query, h.Clock())
	if err != nil {
		return nil, err
	}
	span, err := period.Span()
	if err != nil {
		return nil, httpapi.BadRequest("%s", err)
	}
	sums, err := h.Store.SumLedger(ctx, db.SumLedgerParams{
		MerchantID: caller.MerchantID, Mode: string(caller.Mode), FiatCurrency: string(currency), Since: span.From, Until: span.To,
	})
	if err != nil {
		return nil, err
	}
	s := summary{
		Period: period.Kind, Year: period.Year, From: wire.TimeOf(span.From), To: wire.TimeOf(span.To),
		ChargesConfirmed: sums.Charges, TotalXMR: sums.TotalXmr, TotalFiat: sums.TotalFiat, FiatCurrency: currency,
		PlatformFeesXMR: sums.FeesXmr, Payouts: sums.Payouts, PayoutsXMR: sums.PayoutsXmr,
	}
	if sums.Refunds > 0 {
		s.Refunds, s.RefundsXMR = sums.Refunds, &sums.RefundsXmr
	}
	switch period.Kind {
	case report.Monthly:
		s.Month = &period.Month
	case report.Quarterly:
		s.Quarter = &period.Quarter
	case report.Annual:
	}
	return httpapi.With(s, nil)
}

// periodOf returns the period that the parameters of a summary ask for. Missing parameters mean
// the current period.
func periodOf(q *httpapi.Query, now time.Time) (report.Period, error) {
	kind, err := q.OneOf("period")
	if err != nil {
		return report.Period{}, err
	}
	p := report.Current(report.Kind(kind), now)
	if p.Year, err = q.Number("year", p.Year, report.MinYear, report.MaxYear); err != nil {
		return p, err
	}
	if p.Month, err = q.Number("month", p.Month, 1, 12); err != nil {
		return p, err
	}
	p.Quarter, err = q.Number("quarter", p.Quarter, 1, 4)
	return p, err
}

type reporting struct {
	Enabled  *bool           `json:"enabled" required:"true" doc:"Whether reports are available and charges get a fiat value when they are confirmed" example:"true"`
	Currency *money.Currency `json:"reporting_currency" required:"false" enum:"USD,EUR" doc:"Currency of fiat values; unchanged when it is missing" example:"EUR"`
}

type reportingSet struct {
	OK       bool           `json:"ok" doc:"Always true"`
	Enabled  bool           `json:"enabled"`
	Currency money.Currency `json:"reporting_currency" enum:"USD,EUR"`
}

func (h *Reports) setReporting(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[reporting] }) (*httpapi.Out[reportingSet], error) {
	fields := in.Body.Value()
	if fields.Enabled == nil {
		return nil, httpapi.BadRequest("enabled is required")
	}
	currency := money.Currency(m.ReportingCurrency)
	if fields.Currency != nil {
		currency = *fields.Currency
	}
	if currency != money.USD && currency != money.EUR {
		return nil, httpapi.BadRequest("reporting_currency must be one of: USD, EUR")
	}
	err := access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		return q.SetReporting(ctx, db.SetReportingParams{
			Enabled: *fields.Enabled, Currency: string(currency), MerchantID: m.MerchantID,
		})
	})
	return httpapi.With(reportingSet{true, *fields.Enabled, currency}, err)
}

// overviewDays is the number of days in the overview, including today. No month has more.
const overviewDays = 31

type dayTotal struct {
	Day         string         `json:"day" doc:"Day in UTC" example:"2025-11-06"`
	Confirmed   int64          `json:"confirmed" doc:"Charges confirmed on it"`
	ReceivedXMR money.Piconero `json:"received_xmr" doc:"What they received, in XMR"`
}

type overview struct {
	Days             []dayTotal `json:"days" doc:"The last 31 days, the oldest first, today last; days without anything are 0"`
	Pending          int64      `json:"pending" doc:"Charges that wait for money or for confirmations, counted up to 1000"`
	Underpaid        int64      `json:"underpaid" doc:"Expired charges with money that is in no payout, counted up to 1000, among 10,000 payments that are in none"`
	Late             int64      `json:"late" doc:"Charges that were paid late and are in no payout, counted up to 1000"`
	FailedDeliveries int64      `json:"failed_deliveries" doc:"Deliveries of the last 7 days that were given up, counted up to 1000"`
	RefundsToApprove int64      `json:"refunds_to_approve" doc:"Claims of refunds that wait for an approval or for your payment, of either mode, counted up to 1000"`
	PaymentsSeen     bool       `json:"payments_seen" doc:"False while the service cannot see new payments; it finds them later"`
}

func (h *Reports) overview(ctx context.Context, caller access.Key, _ *httpapi.None) (*httpapi.Out[overview], error) {
	now := h.Clock().UTC()
	today := permission.DayOf(now)
	unwatched, err := h.Store.UnwatchedWallet(ctx, db.UnwatchedWalletParams{
		MerchantID: caller.MerchantID, Mode: string(caller.Mode), Since: now.Add(-postgres.UnwatchedAfter),
	})
	if err != nil {
		return nil, err
	}
	if !caller.Since(now).IsZero() {
		return h.overviewOfToday(ctx, caller, today, !unwatched)
	}
	first := today.AddDate(0, 0, -overviewDays+1)
	rows, err := h.Store.LedgerDays(ctx, db.LedgerDaysParams{MerchantID: caller.MerchantID, Mode: string(caller.Mode), Since: first})
	if err != nil {
		return nil, err
	}
	waits, err := h.Store.CountAttention(ctx, db.CountAttentionParams{
		MerchantID: caller.MerchantID, Mode: string(caller.Mode), DeliveriesSince: now.Add(-httpapi.FailuresFor),
	})
	if err != nil {
		return nil, err
	}
	out := overview{
		Pending: waits.Pending, Underpaid: waits.Underpaid, Late: waits.Late, FailedDeliveries: waits.Failed, RefundsToApprove: waits.Claims,
		PaymentsSeen: !unwatched,
	}
	out.Days = daysFrom(first, overviewDays, rows)
	return httpapi.With(out, nil)
}

// overviewOfToday answers a caller who may see only today: the sum of today, whether payments are
// seen, and no counts of open work.
func (h *Reports) overviewOfToday(ctx context.Context, caller access.Key, today time.Time, seen bool) (*httpapi.Out[overview], error) {
	rows, err := h.Store.LedgerDays(ctx, db.LedgerDaysParams{MerchantID: caller.MerchantID, Mode: string(caller.Mode), Since: today})
	return httpapi.With(overview{Days: daysFrom(today, 1, rows), PaymentsSeen: seen}, err)
}

// daysFrom returns the given number of days, each with its sum. rows has only the days with a
// sum.
func daysFrom(first time.Time, days int, rows []db.LedgerDaysRow) []dayTotal {
	all := make([]dayTotal, 0, days)
	for i := range days {
		day := dayTotal{Day: first.AddDate(0, 0, i).Format(time.DateOnly)}
		if len(rows) > 0 && rows[0].Day.Time.Format(time.DateOnly) == day.Day {
			day.Confirmed, day.ReceivedXMR = rows[0].Charges, rows[0].Received
			rows = rows[1:]
		}
		all = append(all, day)
	}
	return all
}
