package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// Removed is the status of a charge that was pruned. Its books and payments remain.
const Removed = "removed"

// Charge is a charge as operators see it: without metadata, description, links and what buyers
// entered.
type Charge struct {
	ChargeID      string              `json:"charge_id" example:"ch_0123456789abcdef01234567"`
	MerchantID    string              `json:"merchant_id" example:"0123456789abcdef0123456789abcdef"`
	Mode          config.Mode         `json:"mode" enum:"live,sandbox"`
	Status        string              `json:"status" enum:"pending,confirmed,expired,removed" doc:"removed: the charge was pruned; its books and payments remain"`
	PaymentState  charge.PaymentState `json:"payment_state" enum:"unpaid,partial,paid,overpaid" doc:"How much has arrived"`
	Amount        money.Decimal       `json:"amount" doc:"In currency" example:"49.99"`
	Currency      money.Currency      `json:"currency" enum:"USD,EUR,XMR"`
	AmountXMR     money.Piconero      `json:"amount_xmr"`
	ReceivedXMR   money.Piconero      `json:"amount_received_xmr" doc:"Sum of all payments seen"`
	Confirmations int32               `json:"confirmations" doc:"Of the payment with the fewest"`
	Required      int32               `json:"confirmations_required"`
	OrderID       *string             `json:"order_id" doc:"The merchant's own identifier; null: none" example:"1002"`
	Late          bool                `json:"late" doc:"Confirmed after it had expired"`
	Unbacked      bool                `json:"unbacked" doc:"Confirmed, but its money left the chain"`
	PayoutID      *string             `json:"payout_id" doc:"First payout that takes a payment of it; null: none"`
	CreatedAt     wire.Time           `json:"created_at"`
	ExpiresAt     *wire.Time          `json:"expires_at" doc:"Payment timeout; null once it was pruned"`
	ConfirmedAt   *wire.Time          `json:"confirmed_at"`
}

// Charges is a page of charges.
type Charges struct {
	Charges    []Charge `json:"charges" doc:"Newest first"`
	NextCursor *string  `json:"next_cursor" doc:"Cursor of the next page; null on the last" example:"1795253400123456.ch_0123456789abcdef01234567"`
}

// ChargePayment is a transaction that paid a charge.
type ChargePayment struct {
	TxHash      string         `json:"tx_hash"`
	AmountXMR   money.Piconero `json:"amount_xmr"`
	Height      *int64         `json:"height" doc:"Block; null in the pool, or when it is missing"`
	Mature      bool           `json:"mature" doc:"Deep enough, and unlocked"`
	FirstSeenAt wire.Time      `json:"first_seen_at"`
	VanishedAt  *wire.Time     `json:"vanished_at" doc:"Since when it is neither in the pool nor in the chain; null: it is there"`
	PayoutID    *string        `json:"payout_id" doc:"Payout that reserves or paid it; null: none"`
}

// WholeCharge is a charge with all that happened to it.
type WholeCharge struct {
	Charge

	WalletID         string          `json:"wallet_id" example:"live"`
	Address          string          `json:"address" doc:"Where it is paid"`
	Source           charge.Source   `json:"source" doc:"How it was created" example:"api"`
	PaymentRequestID *string         `json:"payment_request_id"`
	ChainHeight      int64           `json:"chain_height" doc:"Blocks of the chain when its wallet was last scanned; 0 once it was pruned"`
	Payments         []ChargePayment `json:"payments" doc:"The oldest first, at most 200"`
	Refunds          []Refund        `json:"refunds"`
	Alerts           []Alert         `json:"alerts" doc:"Open alerts about it"`
	Timeline         []Step          `json:"timeline" doc:"The oldest first"`
}

func chargeStatuses() []string {
	return []string{string(charge.Pending), string(charge.Confirmed), string(charge.Expired)}
}

// Charges lists the newest charges of a mode.
func (d *Admin) Charges(ctx context.Context, mode config.Mode, f Filter, p TimePage) (Charges, error) {
	before, id, err := p.before()
	if err != nil {
		return Charges{}, err
	}
	statuses, err := f.statuses(chargeStatuses())
	if err != nil {
		return Charges{}, err
	}
	var rows []db.NewestChargesRow
	if f.MerchantID != "" {
		var found []db.NewestChargesOfMerchantRow
		found, err = d.Store.NewestChargesOfMerchant(ctx, db.NewestChargesOfMerchantParams{
			MerchantID: f.MerchantID, Mode: string(mode), Before: before, BeforeID: id, MaxRows: p.Limit,
		})
		rows = each(found, func(r db.NewestChargesOfMerchantRow) db.NewestChargesRow { return db.NewestChargesRow(r) })
	} else {
		rows, err = d.Store.NewestCharges(ctx, db.NewestChargesParams{Statuses: statuses, Mode: string(mode), Before: before, BeforeID: id, MaxRows: p.Limit})
	}
	if err != nil {
		return Charges{}, err
	}
	facts, err := d.Store.ChargesNamed(ctx, each(rows, func(r db.NewestChargesRow) string { return r.ID }), d.now())
	return Charges{each(facts, chargeOf), after(p, rows, func(r db.NewestChargesRow) (time.Time, string) { return r.CreatedAt, r.ID })}, err
}

// ChargeByID shows one charge, also a pruned one; postgres.ErrNotFound when there is none.
func (d *Admin) ChargeByID(ctx context.Context, id string) (WholeCharge, error) {
	whole := WholeCharge{}
	facts, err := d.Store.Charge(ctx, id, d.now())
	switch {
	case err == nil:
		c := facts.Charge
		whole = WholeCharge{
			Charge: chargeOf(facts), WalletID: c.WalletID, Address: c.Subaddress, Source: c.Source, PaymentRequestID: c.PaymentRequestID,
			ChainHeight: facts.Facts.ChainHeight,
		}
	case postgres.IsNotFound(err):
		if whole, err = d.removedCharge(ctx, id); err != nil {
			return whole, err
		}
	default:
		return whole, err
	}
	err = d.complete(ctx, &whole)
	return whole, err
}

// removedCharge returns what the books have of a charge that was pruned.
func (d *Admin) removedCharge(ctx context.Context, id string) (WholeCharge, error) {
	row, err := d.Store.LedgerOfCharge(ctx, id)
	if err != nil {
		return WholeCharge{}, missing(err)
	}
	return WholeCharge{Charge: Charge{
		ChargeID: row.ChargeID, MerchantID: row.MerchantID, Mode: config.Mode(row.Mode), Status: Removed, PaymentState: charge.Paid,
		Amount: row.Amount, Currency: money.Currency(row.Currency), AmountXMR: row.AmountPiconero, ReceivedXMR: row.ReceivedPiconero,
		OrderID: row.OrderID, CreatedAt: wire.TimeOf(row.CreatedAt), ConfirmedAt: wire.TimeOrNil(&row.ConfirmedAt),
	}}, nil
}

// complete adds payments, refunds, alerts and the timeline.
func (d *Admin) complete(ctx context.Context, c *WholeCharge) error {
	created := time.Time(c.CreatedAt)
	steps := timeline{}
	steps.add(&created, "created", c.AmountXMR.String()+" XMR asked for")
	payments, err := d.Store.PaymentsOfCharge(ctx, db.PaymentsOfChargeParams{ChargeID: c.ChargeID, MaxRows: MaxRows})
	if err != nil {
		return err
	}
	c.Payments = each(payments, func(p db.ReceivedPayment) ChargePayment {
		steps.add(&p.FirstSeenAt, "payment seen", p.Amount.String()+" XMR in "+p.TxHash)
		steps.add(p.VanishedAt, "payment left the chain", p.TxHash)
		return ChargePayment{p.TxHash, p.Amount, p.Height, p.Mature, wire.TimeOf(p.FirstSeenAt), wire.TimeOrNil(p.VanishedAt), p.PayoutID}
	})
	if err := d.addPayoutsOf(ctx, &steps, payments); err != nil {
		return err
	}
	refunds, err := d.Store.RefundsOfCharge(ctx, c.ChargeID)
	if err != nil {
		return err
	}
	c.Refunds = each(refunds, func(r db.Refund) Refund {
		steps.add(&r.CreatedAt, "refund created", r.ID+" of "+r.Amount.String()+" XMR")
		steps.add(r.CancelledAt, "refund cancelled", r.ID)
		return refundOf(r)
	})
	if err := d.addEvents(ctx, &steps, c.ChargeID); err != nil {
		return err
	}
	if c.Alerts, err = d.alertsAbout(ctx, c.ChargeID, alert.ChargeUnbacked, alert.OwedToDeletedAccount); err != nil {
		return err
	}
	c.Timeline = steps.sorted()
	return nil
}

// addPayoutsOf adds the steps of the payouts that take the payments, each once.
func (d *Admin) addPayoutsOf(ctx context.Context, steps *timeline, payments []db.ReceivedPayment) error {
	added := map[string]bool{}
	for _, p := range payments {
		if p.PayoutID == nil || added[*p.PayoutID] {
			continue
		}
		added[*p.PayoutID] = true
		row, err := d.Store.GetPayout(ctx, *p.PayoutID)
		if err != nil {
			return err
		}
		addPayout(steps, row)
	}
	return nil
}

func chargeOf(f postgres.ChargeFacts) Charge {
	c := f.Charge
	v := charge.PublicViewOf(c, f.Facts, "")
	mode := config.Live
	if c.Sandbox {
		mode = config.Sandbox
	}
	return Charge{
		ChargeID: c.ID, MerchantID: c.MerchantID, Mode: mode, Status: string(c.Status), PaymentState: v.PaymentState, Amount: c.Amount,
		Currency: c.Currency, AmountXMR: c.AmountXMR, ReceivedXMR: v.AmountReceivedXMR, Confirmations: v.Confirmations, Required: v.ConfirmationsRequired,
		OrderID: c.Order(), Late: c.Late, Unbacked: c.Unbacked, PayoutID: c.PayoutID, CreatedAt: v.CreatedAt, ExpiresAt: &v.ExpiresAt,
		ConfirmedAt: v.ConfirmedAt,
	}
}
