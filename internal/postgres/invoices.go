package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
)

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
