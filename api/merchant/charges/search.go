package charges

import (
	"context"
	"errors"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
)

// maxSearched is the maximum length of a searched text in bytes.
const maxSearched = 200

// invoiceStatuses are the statuses by which a search can be filtered.
func invoiceStatuses() []string {
	return []string{string(invoice.New), string(invoice.Processing), string(invoice.Settled), string(invoice.Expired), string(invoice.Invalid)}
}

// searchNames are the parameters that turn a list into a search.
func searchNames() []string {
	return []string{"invoice_status", "text", "amount_from", "amount_to", "attention", "from", "to", "limit", "cursor"}
}

// search returns one page of the charges that match.
func (h *Charges) search(ctx context.Context, caller access.Key, in *httpapi.Query) (*httpapi.Out[chargeList], error) {
	filter, err := h.searched(in)
	if err != nil {
		return nil, err
	}
	filter.MerchantID, filter.Mode = caller.MerchantID, caller.Mode
	if since := caller.Since(h.Clock()); filter.From.Before(since) {
		filter.From = since
	}
	found, err := h.Store.FindCharges(ctx, filter, h.Clock())
	if errors.Is(err, postgres.ErrChargeCursor) {
		err = httpapi.BadRequest("cursor must be the next_cursor of a page")
	}
	if err != nil {
		return nil, err
	}
	list := h.listOf(found.Charges)
	list.NextCursor = found.Next
	return httpapi.With(list, nil)
}

// searched reads and checks the filters of a search.
func (h *Charges) searched(in *httpapi.Query) (postgres.ChargeSearch, error) {
	var f postgres.ChargeSearch
	status, given, err := in.Single("invoice_status")
	if err == nil && given {
		status, err = httpapi.OneOf("invoice_status", status, invoiceStatuses())
	}
	if err != nil {
		return f, err
	}
	f.InvoiceStatus = status
	if f.Text, _, err = in.Single("text"); err != nil {
		return f, err
	}
	if len(f.Text) > maxSearched {
		return f, httpapi.BadRequest("text must have at most %d bytes", maxSearched)
	}
	f.OrderKey = charge.OrderKey(f.Text)
	if f.Attention, err = in.Attention(); err != nil {
		return f, err
	}
	if f.Attention != "" && in.HasAny("invoice_status", "text", "amount_from", "amount_to") {
		return f, httpapi.BadRequest("attention goes with no other filter but from and to")
	}
	if f.AmountFrom, err = boundOf(in, "amount_from"); err != nil {
		return f, err
	}
	if f.AmountTo, err = boundOf(in, "amount_to"); err != nil {
		return f, err
	}
	err = h.searchedPage(in, &f)
	return f, err
}

// boundOf returns an amount of the query; nil if it is missing.
func boundOf(in *httpapi.Query, name string) (*money.Decimal, error) {
	if !in.HasAny(name) {
		return nil, nil //nolint:nilnil // no bound is a valid answer
	}
	amount, err := in.Amount(name, money.Decimal{})
	return &amount, err
}

// searchedPage reads and checks the time range of a search, the page's length and its cursor.
func (h *Charges) searchedPage(in *httpapi.Query, f *postgres.ChargeSearch) (err error) {
	if f.From, err = in.Moment("from", h.Clock().AddDate(-100, 0, 0)); err != nil {
		return err
	}
	if f.To, err = in.Moment("to", h.Clock().AddDate(1, 0, 0)); err != nil {
		return err
	}
	if f.Limit, err = in.Limit(listedCharges); err != nil {
		return err
	}
	var given bool
	f.Cursor, given, err = in.Single("cursor")
	if err == nil && given && f.Cursor == "" {
		err = httpapi.BadRequest("cursor must be the next_cursor of a page")
	}
	return err
}

func (h *Charges) listOf(found []postgres.ChargeFacts) chargeList {
	list := chargeList{Charges: make([]charge.View, 0, len(found))}
	for _, c := range found {
		list.Charges = append(list.Charges, charge.ViewOf(c.Charge, c.Facts, h.PublicURL))
	}
	return list
}
