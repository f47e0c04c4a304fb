package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/wire"
)

// Refund is a refund as operators see it: without the secret of its link.
type Refund struct {
	RefundID   string         `json:"refund_id" example:"rf_0123456789abcdef01234567"`
	MerchantID string         `json:"merchant_id" example:"0123456789abcdef0123456789abcdef"`
	ChargeID   string         `json:"charge_id" doc:"Empty: it is of no charge" example:"ch_0123456789abcdef01234567"`
	Status     refund.Status  `json:"status" enum:"open,awaiting_approval,awaiting_payment,in_progress,completed,cancelled,expired"`
	AmountXMR  money.Piconero `json:"amount_xmr" doc:"What may be claimed"`
	Name       string         `json:"name" doc:"Shown to the buyer; may be empty"`
	Automatic  bool           `json:"automatic" doc:"Claims need no approval"`
	CreatedAt  wire.Time      `json:"created_at"`
	ExpiresAt  wire.Time      `json:"expires_at"`
}

// Refunds is a page of refunds.
type Refunds struct {
	Refunds    []Refund `json:"refunds" doc:"Newest first"`
	NextCursor *string  `json:"next_cursor" doc:"Cursor of the next page; null on the last" example:"1795253400123456.rf_0123456789abcdef01234567"`
}

// RefundClaim is a part of a refund for one address.
type RefundClaim struct {
	ClaimID     string         `json:"claim_id" example:"rc_0123456789abcdef01234567"`
	Status      refund.Status  `json:"status" enum:"awaiting_approval,awaiting_payment,in_progress,completed,cancelled"`
	AmountXMR   money.Piconero `json:"amount_xmr"`
	Address     string         `json:"address" doc:"First and last characters of where it goes"`
	WaitsFor    *refund.Waits  `json:"waits_for" doc:"What its payment waits for; null for nothing"`
	Failures    int32          `json:"failures" doc:"Payouts of it that failed"`
	PayoutID    *string        `json:"payout_id" doc:"Payout that pays it; null before"`
	TxHash      *string        `json:"tx_hash"`
	CreatedAt   wire.Time      `json:"created_at"`
	ApprovedAt  *wire.Time     `json:"approved_at"`
	SentAt      *wire.Time     `json:"sent_at"`
	ConfirmedAt *wire.Time     `json:"confirmed_at"`
}

// WholeRefund is a refund with all that happened to it.
type WholeRefund struct {
	Refund

	Claims   []RefundClaim `json:"claims" doc:"The oldest first"`
	Timeline []Step        `json:"timeline" doc:"The oldest first"`
}

func refundStatuses() []string {
	return []string{
		string(refund.Open), string(refund.AwaitingApproval), string(refund.AwaitingPayment), string(refund.InProgress), string(refund.Completed),
		string(refund.Cancelled), string(refund.Expired),
	}
}

// Refunds lists the newest refunds.
func (d *Admin) Refunds(ctx context.Context, f Filter, p TimePage) (Refunds, error) {
	before, id, err := p.before()
	if err != nil {
		return Refunds{}, err
	}
	statuses, err := f.statuses(refundStatuses())
	if err != nil {
		return Refunds{}, err
	}
	var rows []db.Refund
	if f.MerchantID != "" {
		rows, err = d.Store.NewestRefundsOfMerchant(ctx, db.NewestRefundsOfMerchantParams{MerchantID: f.MerchantID, Before: before, BeforeID: id, MaxRows: p.Limit})
	} else {
		rows, err = d.Store.NewestRefunds(ctx, db.NewestRefundsParams{Statuses: statuses, Before: before, BeforeID: id, MaxRows: p.Limit})
	}
	return Refunds{each(rows, refundOf), after(p, rows, func(r db.Refund) (time.Time, string) { return r.CreatedAt, r.ID })}, err
}

// RefundByID shows one refund; postgres.ErrNotFound when there is none.
func (d *Admin) RefundByID(ctx context.Context, id string) (WholeRefund, error) {
	row, err := d.Store.GetRefund(ctx, id)
	if err != nil {
		return WholeRefund{}, missing(err)
	}
	claims, err := d.Store.ClaimsOf(ctx, []string{id})
	if err != nil {
		return WholeRefund{}, err
	}
	steps := timeline{}
	steps.add(&row.CreatedAt, "refund created", row.Amount.String()+" XMR")
	steps.add(row.CancelledAt, "refund cancelled", "")
	whole := WholeRefund{Refund: refundOf(row), Claims: each(claims, func(r db.ClaimsOfRow) RefundClaim {
		k := r.RefundClaim
		addClaim(&steps, k)
		return RefundClaim{
			k.ID, refund.Status(k.Status), k.Amount, k.AddressMasked, (*refund.Waits)(k.WaitsFor), k.Failures, r.PayoutID, r.TxHash,
			wire.TimeOf(k.CreatedAt), wire.TimeOrNil(k.ApprovedAt), wire.TimeOrNil(k.SentAt), wire.TimeOrNil(k.ConfirmedAt),
		}
	})}
	err = d.addEvents(ctx, &steps, id)
	whole.Timeline = steps.sorted()
	return whole, err
}

func refundOf(r db.Refund) Refund {
	return Refund{
		r.ID, r.MerchantID, r.ChargeID, refund.Status(r.Status), r.Amount, r.Name, r.Automatic, wire.TimeOf(r.CreatedAt), wire.TimeOf(r.ExpiresAt),
	}
}
