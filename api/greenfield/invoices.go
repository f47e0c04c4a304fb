package greenfield

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/wire"
)

// Invoices answers requests about invoices, which are charges.
type Invoices struct {
	Store *postgres.Store
	Start service.Workflows
	Clock func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// own returns an invoice that the caller may see.
func (h *Invoices) own(ctx context.Context, caller access.Key, id string) (postgres.ChargeFacts, error) {
	found, err := service.OwnCharge(ctx, h.Store, id, caller.MerchantID, caller.Mode, h.Clock())
	return found, missing(err, "invoice")
}

func (h *Invoices) show(ctx context.Context, caller access.Key, id string) (*httpapi.Out[invoiceData], error) {
	found, err := h.own(ctx, caller, id)
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.view(found), nil)
}

// Limits of a list.
const (
	maxTake   = 1000
	maxSkip   = 100_000
	maxValues = 100
)

func (h *Invoices) list(ctx context.Context, caller access.Key, in *struct {
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
			return f, invalid("status", "status must be one of: New, Processing, Settled, Expired, Invalid")
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
		return nil, invalid(name, "%s", err)
	}
	all = slices.DeleteFunc(all, func(v string) bool { return v == "" })
	if len(all) > maxValues {
		return nil, invalid(name, "%s may be given %d times", name, maxValues)
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
		return 0, invalid(name, "%s must be a whole number from %d to %d", name, least, most)
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
		return time.Time{}, invalid(name, "%s must be seconds since 1970", name)
	}
	return at, nil
}
