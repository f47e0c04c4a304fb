package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/config"
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
	// Attention is one of AttentionKinds and selects the charges that the overview counts
	// as such; empty for any. InvoiceStatus and Text must then be empty.
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

// seen is a charge that a search has examined.
type seen struct {
	id    string
	at    time.Time
	found bool
}

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
	if f.Text != "" {
		look = mostLookedAt
	}
	looked, err := s.lookAtCharges(ctx, f, before, id, look)
	if err != nil {
		return FoundCharges{}, fmt.Errorf("find charges: %w", err)
	}
	var page FoundCharges
	var ids []string
	for i, c := range looked {
		if c.found {
			ids = append(ids, c.id)
		}
		if last := i == len(looked)-1; len(ids) == int(f.Limit) || last {
			if !last || len(looked) == int(look) {
				page.Next = chargeCursor(c.at, c.id)
			}
			break
		}
	}
	rows, err := s.GetCharges(ctx, ids)
	if err != nil {
		return FoundCharges{}, fmt.Errorf("find charges: %w", err)
	}
	page.Charges, err = mapRows(rows, func(r db.GetChargesRow) (ChargeFacts, error) {
		return factsOf(r.Charge, r.ChainHeight, r.Payments, now)
	})
	return page, err
}

func (s *Store) lookAtCharges(ctx context.Context, f ChargeSearch, before time.Time, id string, look int32) ([]seen, error) {
	if f.Attention != "" {
		return s.attentionCharges(ctx, f, before, id, look)
	}
	if f.InvoiceStatus == "" {
		rows, err := s.Queries.FindCharges(ctx, db.FindChargesParams{
			MerchantID: f.MerchantID, Mode: string(f.Mode), Column3: before, Column4: id, Column5: f.From, Limit: look,
			Column7: "", Column8: f.Text, Column9: f.OrderKey,
		})
		if err != nil {
			return nil, err
		}
		return mapRows(rows, func(r db.FindChargesRow) (seen, error) { return seen{r.ID, r.CreatedAt, r.Found}, nil })
	}
	rows, err := s.FindChargesByStatus(ctx, db.FindChargesByStatusParams{
		MerchantID: f.MerchantID, Mode: string(f.Mode), Column3: before, Column4: id, Column5: f.From, Limit: look,
		Column7: f.InvoiceStatus, Column8: f.Text, Column9: f.OrderKey,
	})
	if err != nil {
		return nil, err
	}
	return mapRows(rows, func(r db.FindChargesByStatusRow) (seen, error) { return seen{r.ID, r.CreatedAt, r.Found}, nil })
}

// attentionCharges returns the charges that the overview counts.
func (s *Store) attentionCharges(ctx context.Context, f ChargeSearch, before time.Time, id string, look int32) ([]seen, error) {
	p := db.FindPendingChargesParams{MerchantID: f.MerchantID, Mode: string(f.Mode), Before: before, BeforeID: id, Since: f.From, MaxRows: look}
	switch f.Attention {
	case underpaid:
		return allSeen(s.FindUnderpaidCharges(ctx, db.FindUnderpaidChargesParams(p)))
	case late:
		return allSeen(s.FindLateCharges(ctx, db.FindLateChargesParams(p)))
	default:
		return allSeen(s.FindPendingCharges(ctx, p))
	}
}

// allSeen converts rows that all belong to the result.
func allSeen[R db.FindPendingChargesRow | db.FindLateChargesRow | db.FindUnderpaidChargesRow](rows []R, err error) ([]seen, error) {
	if err != nil {
		return nil, err
	}
	return mapRows(rows, func(row R) (seen, error) {
		r := db.FindPendingChargesRow(row)
		return seen{r.ID, r.CreatedAt, true}, nil
	})
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

// InvoiceFilter selects which of a merchant's charges are listed as invoices.
type InvoiceFilter struct {
	MerchantID string
	Mode       config.Mode
	// Orders are order IDs in their stored form. Statuses are statuses of invoices.
	// Empty for any.
	Orders, Statuses []string
	// Text is an invoice, an order or an address. TextOrder is the same text as an
	// order ID in its stored form. Empty for any.
	Text, TextOrder string
	// Since is included, Until is not.
	Since, Until time.Time
	// Skip and Take count invoices from the newest on.
	Skip, Take int32
}

// Invoices lists the charges that match a filter, the newest first.
func (s *Store) Invoices(ctx context.Context, f InvoiceFilter, now time.Time) ([]ChargeFacts, error) {
	ids, err := s.invoiceIDs(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list invoices: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := s.GetCharges(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("list invoices: %w", err)
	}
	return mapRows(rows, func(r db.GetChargesRow) (ChargeFacts, error) {
		return factsOf(r.Charge, r.ChainHeight, r.Payments, now)
	})
}

// invoiceIDs reads the IDs with the query whose index fits the filter.
func (s *Store) invoiceIDs(ctx context.Context, f InvoiceFilter) ([]string, error) {
	mode := string(f.Mode)
	f.Orders, f.Statuses = append([]string{}, f.Orders...), append([]string{}, f.Statuses...) // never NULL
	switch {
	case f.Text != "":
		return s.SearchInvoiceIDs(ctx, db.SearchInvoiceIDsParams{
			MerchantID: f.MerchantID, Mode: mode, Text: f.Text, OrderKey: f.TextOrder, Orders: f.Orders, Statuses: f.Statuses,
			Since: f.Since, Until: f.Until, Skip: f.Skip, Take: f.Take,
		})
	case len(f.Orders) > 0:
		return s.InvoiceIDsByOrder(ctx, db.InvoiceIDsByOrderParams{
			MerchantID: f.MerchantID, Mode: mode, Orders: f.Orders, Statuses: f.Statuses,
			Since: f.Since, Until: f.Until, Skip: f.Skip, Take: f.Take,
		})
	case len(f.Statuses) > 0:
		return s.InvoiceIDsByStatus(ctx, db.InvoiceIDsByStatusParams{
			MerchantID: f.MerchantID, Mode: mode, Statuses: f.Statuses,
			Since: f.Since, Until: f.Until, Upto: f.Skip + f.Take, Skip: f.Skip, Take: f.Take,
		})
	default:
		return s.InvoiceIDs(ctx, db.InvoiceIDsParams{
			MerchantID: f.MerchantID, Mode: mode, Since: f.Since, Until: f.Until, Skip: f.Skip, Take: f.Take,
		})
	}
}
