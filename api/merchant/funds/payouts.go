package funds

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
	"github.com/durapay/durapay/workflows"
)

// Payouts answers requests about payouts.
type Payouts struct {
	Store *postgres.Store
	Start service.Workflows
	Clock func() time.Time
	// FeeRate is the operator's share if neither the merchant nor a volume tier has a rate: 0.005
	// is half a percent.
	FeeRate money.Decimal
	// Custody is which wallets shops may have.
	Custody config.Custody
}

// Register registers the balance and its sweep.
func (h *Payouts) Register(api operation.API) {
	operation.WithSession(api, operation.Route{ID: "getBalance", At: "GET /api/payouts/balance"}, h.balance)
	operation.WithSession(api, operation.Route{ID: "listPayouts", At: "GET /api/payouts"}, h.listPayouts)
	operation.WithSession(api, operation.Route{ID: "sweep", At: "POST /api/payouts/sweep", Slow: true}, h.sweep)
}

// listedPayouts is the maximum length of the list of payouts.
const listedPayouts = 500

type balance struct {
	UnpaidCharges    int32          `json:"unpaid_charges" doc:"Confirmed charges that are not paid out"`
	TotalXMR         money.Piconero `json:"total_xmr" doc:"Their sum, locked outputs included"`
	FeeRate          money.Decimal  `json:"fee_rate" doc:"Share kept by the operator, as it is in force now: 0.005 is half a percent"`
	NetXMR           money.Piconero `json:"net_xmr" doc:"total_xmr less the operator's fee, before the chain's fee"`
	HasPayoutAddress bool           `json:"has_payout_address"`
	Custody          config.Custody `json:"custody" enum:"hosted,own" doc:"own: customers pay the shop's own wallet, and only what the service received before is here"`
	FeeOwedXMR       money.Piconero `json:"fee_owed_xmr" doc:"The operator's share of what the shop's own wallet received: owed, and never taken"`
	LockedXMR        money.Piconero `json:"locked_xmr" doc:"Part of total_xmr that the chain still locks; swept later"`
	// InRefundsXMR is nil if there are no such refunds.
	InRefundsXMR *money.Piconero `json:"in_refunds_xmr,omitempty" doc:"What open refunds may take of it; only there when some may. A sweep pays it out all the same, and refunds then wait for new money"`
	// InPayoutsXMR is nil if no payout is on its way.
	InPayoutsXMR *money.Piconero `json:"in_payouts_xmr,omitempty" doc:"What payouts have taken that the chain has not confirmed; not part of total_xmr; only there when there is some"`
	// PayoutHoldUntil is null unless a sweep would be refused now.
	PayoutHoldUntil *wire.Time `json:"payout_hold_until" doc:"Until when sweeps wait, since where they go was changed; null when they do not"`
}

type payoutView struct {
	PayoutID      string          `json:"payout_id" doc:"Payout identifier" example:"po_0123456789abcdef01234567"`
	Status        payout.Status   `json:"status" enum:"building,broadcast,confirmed,failed"`
	AmountXMR     money.Piconero  `json:"amount_xmr" doc:"Net amount sent"`
	FeeXMR        money.Piconero  `json:"fee_xmr" doc:"Operator's fee"`
	NetworkFeeXMR money.Piconero  `json:"network_fee_xmr" doc:"Chain's fee"`
	TxHash        *string         `json:"tx_hash" doc:"Transaction; null before it is built"`
	ChargesPaid   int32           `json:"charges_paid" doc:"Charges swept"`
	Address       string          `json:"address" doc:"First and last six characters of where the transaction goes: the payout address, or the deposit address of the swap"`
	Error         *string         `json:"error" doc:"Why it failed"`
	CreatedAt     wire.Time       `json:"created_at"`
	SentAt        *wire.Time      `json:"sent_at"`
	ConfirmedAt   *wire.Time      `json:"confirmed_at"`
	RefundXMR     *money.Piconero `json:"refund_xmr,omitempty" doc:"Paid to a buyer beside the merchant; only there for payouts of refunds"`
	ClaimID       *string         `json:"claim_id,omitempty" doc:"The claim that it pays; only there with refund_xmr" example:"rc_0123456789abcdef01234567"`
	SwapID        *string         `json:"swap_id" doc:"The swap that the transaction pays; null for a payout in Monero" example:"swp_0123456789abcdef01234567"`
}

type payoutList struct {
	Payouts []payoutView `json:"payouts" doc:"Newest first"`
}

func (h *Payouts) balance(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[balance], error) {
	sum, err := h.Store.UnpaidSummary(ctx, db.UnpaidSummaryParams{MerchantID: m.MerchantID, WalletID: m.LiveWalletID})
	if err != nil {
		return nil, err
	}
	rate, err := postgres.FeeRate(ctx, h.Store.Queries, m, h.FeeRate, h.Clock())
	if err != nil {
		return nil, err
	}
	inRefunds, err := h.Store.InRefunds(ctx, db.InRefundsParams{MerchantID: m.MerchantID, Now: h.Clock()})
	if err != nil {
		return nil, err
	}
	inPayouts, err := h.Store.InPayouts(ctx, m.MerchantID)
	if err != nil {
		return nil, err
	}
	owed, err := h.Store.FeeOwed(ctx, m.MerchantID)
	if err != nil {
		return nil, err
	}
	fee, err := payout.Fee(sum.Total, rate)
	if err != nil {
		return nil, err
	}
	view := balance{
		Custody: postgres.CustodyOf(m, h.Custody, h.Clock()), FeeOwedXMR: owed,
		UnpaidCharges: sum.Charges, TotalXMR: sum.Total, FeeRate: rate, NetXMR: sum.Total.SubFloor(fee),
		HasPayoutAddress: m.PayoutAddressSealed != nil, LockedXMR: sum.Locked, PayoutHoldUntil: wire.TimeOrNil(payout.HeldUntil(m.PayoutHoldUntil, h.Clock())),
	}
	if inRefunds > 0 {
		view.InRefundsXMR = &inRefunds
	}
	if inPayouts > 0 {
		view.InPayoutsXMR = &inPayouts
	}
	return httpapi.With(view, nil)
}

func (h *Payouts) listPayouts(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[payoutList], error) {
	rows, err := h.Store.ListPayouts(ctx, db.ListPayoutsParams{MerchantID: m.MerchantID, Limit: listedPayouts})
	if err != nil {
		return nil, err
	}
	list := payoutList{make([]payoutView, 0, len(rows))}
	for _, p := range rows {
		list.Payouts = append(list.Payouts, payoutOf(p))
	}
	return httpapi.With(list, nil)
}

func (h *Payouts) sweep(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[payoutView], error) {
	if err := h.nothingHeld(ctx, m); err != nil {
		return nil, err
	}
	id := secret.NewID("po_")
	if err := h.Start.Sweep(ctx, workflows.PayoutInput{PayoutID: id, MerchantID: m.MerchantID}); err != nil {
		return nil, err
	}
	row, err := h.Store.GetPayout(ctx, id)
	if err != nil {
		return nil, err
	}
	return httpapi.With(payoutOf(row), nil)
}

// nothingHeld refuses a sweep of a shop with an own wallet, unless the service still holds money
// of it that it received before.
func (h *Payouts) nothingHeld(ctx context.Context, m db.Merchant) error {
	if postgres.CustodyOf(m, h.Custody, h.Clock()) != config.CustodyOwn {
		return nil
	}
	sum, err := h.Store.UnpaidSummary(ctx, db.UnpaidSummaryParams{MerchantID: m.MerchantID, WalletID: m.LiveWalletID})
	if err == nil && sum.Charges == 0 {
		err = httpapi.BadRequest("customers pay your own wallet: this service holds no money of yours, so there is nothing to pay out")
	}
	return err
}

func payoutOf(p db.Payout) payoutView {
	view := payoutView{
		PayoutID: p.ID, Status: payout.Status(p.Status), AmountXMR: p.Amount, FeeXMR: p.Fee, NetworkFeeXMR: p.NetworkFee,
		TxHash: p.TxHash, ChargesPaid: p.ChargesPaid, Address: p.AddressMasked, SwapID: p.SwapID, Error: p.Error,
		CreatedAt: wire.TimeOf(p.CreatedAt), SentAt: wire.TimeOrNil(p.SentAt), ConfirmedAt: wire.TimeOrNil(p.ConfirmedAt),
	}
	if p.ClaimID != nil {
		view.ClaimID, view.RefundXMR = p.ClaimID, &p.RefundAmount
	}
	return view
}
