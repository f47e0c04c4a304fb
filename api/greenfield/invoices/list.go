package invoices

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/durapay/durapay/internal/charge"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/wire"
)

// Limits of a list.
const (
	maxTake   = 1000
	maxSkip   = 100_000
	maxValues = 100
)

func (h *Handler) registerList(api dialect.API) {
	dialect.WithKey(api, dialect.Route{
		ID: "Invoices_GetInvoices", Method: http.MethodGet, Path: "/api/v1/stores/{storeId}/invoices", Tag: dialect.TagInvoices,
		Permission: permission.ViewInvoices, Summary: "List invoices",
		Text:  "Newest first. Charges that were made otherwise are invoices too.",
		Query: listParams(), Errors: []int{http.StatusUnprocessableEntity}, Response: []invoiceData{h.example()},
	}, h.list)
}

func listParams() []*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	moment := &huma.Schema{Type: huma.TypeString, Description: "Seconds since 1970, or ISO 8601 with an offset"}
	number := func(least, most, usual int) *huma.Schema {
		low, high := float64(least), float64(most)
		return &huma.Schema{Type: huma.TypeInteger, Minimum: &low, Maximum: &high, Default: usual}
	}
	return []*huma.Param{
		{Name: "orderId", In: "query", Description: "metadata.orderId; may be given up to 100 times.", Schema: &huma.Schema{Type: huma.TypeArray, Items: text}},
		{Name: "status", In: "query", Description: "May be given more than once.", Schema: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{
			Type: huma.TypeString, Enum: []any{"New", "Processing", "Settled", "Expired", "Invalid"},
		}}},
		{Name: "textSearch", In: "query", Description: "An invoice, an order or an address, as a whole.", Schema: text},
		{Name: "startDate", In: "query", Description: "Created then or later.", Schema: moment},
		{Name: "endDate", In: "query", Description: "Created then or earlier.", Schema: moment},
		{Name: "take", In: "query", Description: "How many.", Schema: number(1, maxTake, maxTake)},
		{Name: "skip", In: "query", Description: "How many to leave out first.", Schema: number(0, maxSkip, 0)},
	}
}

func (h *Handler) list(ctx context.Context, caller access.Key, in *struct {
	StorePath
	httpapi.Query
},
) (*httpapi.Out[[]invoiceData], error) {
	filter, err := filterOf(&in.Query)
	if err != nil {
		return nil, err
	}
	filter.MerchantID, filter.Mode = caller.MerchantID, string(caller.Mode)
	found, err := h.Store.Invoices(ctx, filter, h.Clock())
	if err != nil {
		return nil, err
	}
	list := make([]invoiceData, 0, len(found))
	for _, f := range found {
		list = append(list, h.view(f))
	}
	return httpapi.With(list, nil)
}

// filterOf reads the filter of a list. Empty values are ignored.
func filterOf(q *httpapi.Query) (postgres.InvoiceFilter, error) {
	var f postgres.InvoiceFilter
	orders, err := values(q, "orderId")
	if err != nil {
		return f, err
	}
	for _, o := range orders {
		f.Orders = append(f.Orders, charge.OrderKey(o))
	}
	if f.Statuses, err = values(q, "status"); err != nil {
		return f, err
	}
	for _, s := range f.Statuses {
		if !slices.Contains([]invoice.Status{invoice.New, invoice.Processing, invoice.Settled, invoice.Expired, invoice.Invalid}, invoice.Status(s)) {
			return f, dialect.Invalid("status", "status must be one of: New, Processing, Settled, Expired, Invalid")
		}
	}
	slices.Sort(f.Statuses)
	f.Statuses = slices.Compact(f.Statuses) // a repeated status would list each invoice twice
	texts, err := values(q, "textSearch")
	if err != nil {
		return f, err
	}
	if len(texts) > 0 {
		f.TextOrder = charge.OrderKey(texts[0])
		f.Text = f.TextOrder // a text that is too long or cannot be stored is matched only as an order
	}
	if f.Since, err = moment(q, "startDate", time.Unix(0, 0)); err != nil {
		return f, err
	}
	last, err := moment(q, "endDate", time.Date(9998, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return f, err
	}
	f.Until = last.Add(time.Second) // endDate is inclusive and has no fractions
	if f.Take, err = number(q, "take", 1, maxTake, maxTake); err != nil {
		return f, err
	}
	f.Skip, err = number(q, "skip", 0, maxSkip, 0)
	return f, err
}

// values returns the values of a parameter that are not empty.
func values(q *httpapi.Query, name string) ([]string, error) {
	all, err := q.All(name)
	if err != nil {
		return nil, dialect.Invalid(name, "%s", err)
	}
	all = slices.DeleteFunc(all, func(v string) bool { return v == "" })
	if len(all) > maxValues {
		return nil, dialect.Invalid(name, "%s may be given %d times", name, maxValues)
	}
	return all, nil
}

func number(q *httpapi.Query, name string, least, most, missing int32) (int32, error) {
	all, err := values(q, name)
	if err != nil || len(all) == 0 {
		return missing, err
	}
	n, err := strconv.ParseInt(all[0], 10, 32)
	if err != nil || int32(n) < least || int32(n) > most {
		return 0, dialect.Invalid(name, "%s must be a whole number from %d to %d", name, least, most)
	}
	return int32(n), nil
}

func moment(q *httpapi.Query, name string, missing time.Time) (time.Time, error) {
	all, err := values(q, name)
	if err != nil || len(all) == 0 {
		return missing, err
	}
	const endOfSeconds = 253_370_764_800 // the year 9999
	if n, err := strconv.ParseInt(all[0], 10, 64); err == nil && n >= 0 && n < endOfSeconds {
		return time.Unix(n, 0).UTC(), nil
	}
	at, err := wire.ParseTime(all[0])
	if err != nil || at.Year() < 1 || at.Year() > 9998 {
		return time.Time{}, dialect.Invalid(name, "%s must be seconds since 1970", name)
	}
	return at, nil
}
