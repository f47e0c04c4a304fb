package funds

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

type reporting struct {
	Enabled  *bool           `json:"enabled" required:"true" doc:"Whether reports are available and charges get a fiat value when they are confirmed" example:"true"`
	Currency *money.Currency `json:"reporting_currency" required:"false" enum:"USD,EUR" doc:"Currency of fiat values; unchanged when it is missing" example:"EUR"`
}

type reportingSet struct {
	OK       bool           `json:"ok" doc:"Always true"`
	Enabled  bool           `json:"enabled"`
	Currency money.Currency `json:"reporting_currency" enum:"USD,EUR"`
}

func (h *Reports) registerReporting(api operation.API) {
	on, currency := true, money.EUR
	operation.WithSession(api, operation.Route{
		ID: "setReporting", Method: http.MethodPut, Path: "/api/account/reporting", Tag: operation.TagAccount,
		Summary:  "Set reporting",
		Text:     "Off by default, in USD. Charges keep the fiat value that they got when they were confirmed.",
		Request:  reporting{&on, &currency},
		Response: reportingSet{true, on, currency},
	}, h.setReporting)
}

func (h *Reports) setReporting(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[reporting] }) (*httpapi.Out[reportingSet], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
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
	err = access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		return q.SetReporting(ctx, db.SetReportingParams{
			Enabled: *fields.Enabled, Currency: string(currency), MerchantID: m.MerchantID,
		})
	})
	return httpapi.With(reportingSet{true, *fields.Enabled, currency}, err)
}
