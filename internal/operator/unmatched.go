package operator

import (
	"context"
	"strconv"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// UnmatchedPayment is money in a wallet that belongs to no charge.
type UnmatchedPayment struct {
	ID              int64          `json:"id" example:"1"`
	WalletID        string         `json:"wallet_id" example:"live"`
	TxHash          string         `json:"tx_hash" doc:"Transaction"`
	Account         int32          `json:"subaddress_account" doc:"Account of the wallet that has the address; 0 for hosted money" example:"0"`
	SubaddressIndex int32          `json:"subaddress_index" example:"7"`
	AmountXMR       money.Piconero `json:"amount_xmr"`
	Height          *int64         `json:"height" doc:"Block; null while it is in the pool or gone"`
	FirstSeenAt     wire.Time      `json:"first_seen_at"`
	VanishedAt      *wire.Time     `json:"vanished_at" doc:"Set when it left the chain again"`
	FormerChargeID  *string        `json:"former_charge_id" doc:"Charge that once had the address"`
	MerchantID      *string        `json:"merchant_id" doc:"Merchant of that charge, when it is known"`
	ResolvedAt      *wire.Time     `json:"resolved_at" doc:"null while nobody has dealt with it"`
	Note            *string        `json:"note" doc:"What was done about it"`
}

// UnmatchedPayments is a page of them.
type UnmatchedPayments struct {
	Payments   []UnmatchedPayment `json:"payments" doc:"Newest first"`
	NextCursor *int64             `json:"next_cursor" doc:"Cursor of the next page; null on the last"`
}

// Unmatched lists payments that belong to no charge: unresolved or resolved ones.
func (d *Admin) Unmatched(ctx context.Context, resolved bool, p Page) (UnmatchedPayments, error) {
	rows, err := d.Store.ListUnmatched(ctx, db.ListUnmatchedParams{Before: p.before(), Resolved: resolved, MaxRows: p.Limit})
	return UnmatchedPayments{each(rows, func(r db.ListUnmatchedRow) UnmatchedPayment {
		account, index := charge.PositionOf(r.SubaddressIndex)
		return UnmatchedPayment{
			r.ID, r.WalletID, r.TxHash, account, index, r.Amount, r.Height, wire.TimeOf(r.FirstSeenAt), wire.TimeOrNil(r.VanishedAt),
			r.FormerChargeID, orNull(r.MerchantID), wire.TimeOrNil(r.ResolvedAt), r.Note,
		}
	}), next(p, rows, func(r db.ListUnmatchedRow) int64 { return r.ID })}, err
}

// ResolveUnmatched records how an operator dealt with a payment and closes its
// alert. A resolved payment gets the new note.
func (d *Admin) ResolveUnmatched(ctx context.Context, who Actor, id int64, note string) error {
	note, err := noteOf(note)
	if err != nil {
		return err
	}
	return d.Store.Tx(ctx, func(q *db.Queries) error {
		row, err := q.LockUnmatched(ctx, id)
		if err != nil || (row.Note != nil && *row.Note == note) {
			return missing(err)
		}
		at := row.ResolvedAt
		if at == nil {
			now := d.now()
			at = &now
		}
		if err := q.ResolveUnmatched(ctx, db.ResolveUnmatchedParams{ID: id, ResolvedAt: at, Note: &note}); err != nil {
			return err
		}
		if err := q.ResolveAlert(ctx, db.ResolveAlertParams{
			Kind: alert.PaymentUnmatched, Subject: alert.PaymentSubject(row.TxHash, row.SubaddressIndex),
		}); err != nil {
			return err
		}
		return d.record(ctx, q, who, entry{"payment.resolve", strconv.FormatInt(id, 10), fromTo{row.Note, note}})
	})
}
