package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

// ErrChargeCursor means that a text is not a cursor of a search of charges.
var ErrChargeCursor = errors.New("not a cursor of charges")

// ChargeSearch contains the criteria of a search for charges. The newest charge comes
// first.
type ChargeSearch struct {
	MerchantID string
	Mode       config.Mode
	// InvoiceStatus is a status of the Greenfield surface; empty for any.
	InvoiceStatus string
	// Text is an identifier of a charge or a payment request, an order, an address, or a
	// part of a description; empty for any. OrderKey is the same text in the form in
	// which orders are stored.
	Text, OrderKey string
	// AmountFrom and AmountTo bound the price, in the charge's currency; nil for no bound.
	AmountFrom, AmountTo *money.Decimal
	// Attention is one of AttentionKinds and selects the charges that the overview counts
	// as such; empty for any. InvoiceStatus and Text must then be empty, and there are no bounds
	// of the price.
	Attention string
	// From and To bound the time of creation: From is included, To is not.
	From, To time.Time
	// Cursor is FoundCharges.Next of the previous page; empty for the first.
	Cursor string
	Limit  int32
}

// The kinds of charges that the overview counts.
const (
	underpaid = "underpaid"
	late      = "late"
	pending   = "pending"
)

// AttentionKinds returns those kinds.
func AttentionKinds() []string { return []string{underpaid, late, pending} }

// FoundCharges is a page of a search.
type FoundCharges struct {
	Charges []ChargeFacts
	// Next is the cursor of the next page, even if this page has found nothing. It is
	// empty at the end of the search.
	Next string
}

// mostLookedAt is the number of charges that one page of a search for a text
// examines.
const mostLookedAt = 10_000

// FindCharges searches for charges. It returns ErrChargeCursor for an invalid cursor.
func (s *Store) FindCharges(ctx context.Context, f ChargeSearch, now time.Time) (FoundCharges, error) {
	before, id := f.To, ""
	if f.Cursor != "" {
		var err error
		if before, id, err = parseChargeCursor(f.Cursor); err != nil {
			return FoundCharges{}, err
		}
	}
	look := f.Limit + 1
	if f.Text != "" || f.AmountFrom != nil || f.AmountTo != nil {
		look = mostLookedAt
	}
	looked, err := s.lookAtCharges(ctx, f, before, id, look)
	if err != nil {
		return FoundCharges{}, fmt.Errorf("find charges: %w", err)
	}
	var page FoundCharges
	var ids []string
	for i, c := range looked {
		if c.Found {
			ids = append(ids, c.ID)
		}
		if last := i == len(looked)-1; len(ids) == int(f.Limit) || last {
			if !last || len(looked) == int(look) {
				page.Next = chargeCursor(c.CreatedAt, c.ID)
			}
			break
		}
	}
	if page.Charges, err = s.ChargesNamed(ctx, ids, now); err != nil {
		return FoundCharges{}, fmt.Errorf("find charges: %w", err)
	}
	return page, nil
}

// lookAtCharges asks the query that fits the search.
func (s *Store) lookAtCharges(ctx context.Context, f ChargeSearch, before time.Time, id string, look int32) ([]db.FindChargesRow, error) {
	mode := string(f.Mode)
	least, most := f.amounts()
	counted := db.FindPendingChargesParams{MerchantID: f.MerchantID, Mode: mode, Before: before, BeforeID: id, Since: f.From, MaxRows: look}
	switch {
	case f.Attention == underpaid:
		return looked(s.FindUnderpaidCharges(ctx, db.FindUnderpaidChargesParams(counted)))
	case f.Attention == late:
		return looked(s.FindLateCharges(ctx, db.FindLateChargesParams(counted)))
	case f.Attention != "":
		return looked(s.FindPendingCharges(ctx, counted))
	case f.InvoiceStatus != "":
		return looked(s.FindChargesByStatus(ctx, db.FindChargesByStatusParams{
			MerchantID: f.MerchantID, Mode: mode, Status: f.InvoiceStatus, Before: before, BeforeID: id, Since: f.From, MaxRows: look,
			Text: f.Text, OrderKey: f.OrderKey, AmountFrom: least, AmountTo: most,
		}))
	default:
		return s.Queries.FindCharges(ctx, db.FindChargesParams{
			MerchantID: f.MerchantID, Mode: mode, Before: before, BeforeID: id, Since: f.From, MaxRows: look, Text: f.Text, OrderKey: f.OrderKey,
			AmountFrom: least, AmountTo: most,
		})
	}
}

// amounts returns the bounds of the price. Without them every price is within.
func (f ChargeSearch) amounts() (least, most money.Decimal) {
	if most = money.MaxAmount; f.AmountTo != nil {
		most = *f.AmountTo
	}
	if f.AmountFrom != nil {
		least = *f.AmountFrom
	}
	return least, most
}

func looked[R db.FindChargesByStatusRow | db.FindPendingChargesRow | db.FindLateChargesRow | db.FindUnderpaidChargesRow](
	rows []R, err error,
) ([]db.FindChargesRow, error) {
	list := make([]db.FindChargesRow, len(rows))
	for i, r := range rows {
		list[i] = db.FindChargesRow(r)
	}
	return list, err
}

func chargeCursor(at time.Time, id string) string {
	return strconv.FormatInt(at.UnixMicro(), 10) + "-" + id
}

func parseChargeCursor(cursor string) (time.Time, string, error) {
	micros, id, ok := strings.Cut(cursor, "-")
	at, err := strconv.ParseInt(micros, 10, 64)
	if !ok || err != nil || at < 0 || len(id) > 64 {
		return time.Time{}, "", ErrChargeCursor
	}
	return time.UnixMicro(at).UTC(), id, nil
}

// InvoiceFilter selects which of a merchant's charges are listed as invoices. Orders are
// order IDs in their stored form, Statuses are statuses of invoices. Text is an invoice, an
// order or an address, TextOrder the same text as an order ID in its stored form. All of
// these are empty for any. Since is included, Until is not. Skip and Take count invoices
// from the newest on.
type InvoiceFilter = db.SearchInvoiceIDsParams

// Invoices lists the charges that match a filter, the newest first.
func (s *Store) Invoices(ctx context.Context, f InvoiceFilter, now time.Time) ([]ChargeFacts, error) {
	ids, err := s.invoiceIDs(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list invoices: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := s.ChargesNamed(ctx, ids, now)
	if err != nil {
		return nil, fmt.Errorf("list invoices: %w", err)
	}
	return list, nil
}

// ChargesNamed reads the charges with these IDs, the newest first. It leaves out those that do
// not exist.
func (s *Store) ChargesNamed(ctx context.Context, ids []string, now time.Time) ([]ChargeFacts, error) {
	rows, err := s.GetCharges(ctx, ids)
	if err != nil {
		return nil, err
	}
	return chargesOf(rows, now)
}

// invoiceIDs reads the IDs with the query whose index fits the filter.
func (s *Store) invoiceIDs(ctx context.Context, f InvoiceFilter) ([]string, error) {
	f.Orders, f.Statuses = append([]string{}, f.Orders...), append([]string{}, f.Statuses...) // never NULL
	switch {
	case f.Text != "":
		return s.SearchInvoiceIDs(ctx, f)
	case len(f.Orders) > 0:
		return s.InvoiceIDsByOrder(ctx, db.InvoiceIDsByOrderParams{
			MerchantID: f.MerchantID, Mode: f.Mode, Orders: f.Orders, Statuses: f.Statuses,
			Since: f.Since, Until: f.Until, Skip: f.Skip, Take: f.Take,
		})
	case len(f.Statuses) > 0:
		return s.InvoiceIDsByStatus(ctx, db.InvoiceIDsByStatusParams{
			MerchantID: f.MerchantID, Mode: f.Mode, Statuses: f.Statuses,
			Since: f.Since, Until: f.Until, Upto: f.Skip + f.Take, Skip: f.Skip, Take: f.Take,
		})
	default:
		return s.InvoiceIDs(ctx, db.InvoiceIDsParams{
			MerchantID: f.MerchantID, Mode: f.Mode, Since: f.Since, Until: f.Until, Skip: f.Skip, Take: f.Take,
		})
	}
}
