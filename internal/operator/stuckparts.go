package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/wire"
)

// StuckTrade is a trade that does not progress. It has no personal data, so operators
// who may not open the sealed parts of trades can list it. Amounts are in whole coins.
type StuckTrade struct {
	TradeID    string        `json:"trade_id" example:"0123456789abcdef0123456789abcdef"`
	Status     trade.Status  `json:"status" example:"sending"`
	Detail     string        `json:"status_detail" doc:"A sentence on why it stands where it does; empty for nothing to say"`
	From       string        `json:"from" doc:"Ticker and network of the deposit" example:"xmr Mainnet"`
	To         string        `json:"to" doc:"Ticker and network of the payout" example:"ltc Mainnet"`
	AmountFrom money.Decimal `json:"amount_from" example:"1.5"`
	AmountTo   money.Decimal `json:"amount_to" example:"2.75"`
	CreatedAt  wire.Time     `json:"created_at"`
	UpdatedAt  wire.Time     `json:"updated_at"`
	Alerts     string        `json:"alerts" doc:"Kinds of open alerts about it, with commas between; empty for none" example:"trade_payment_stuck"`
}

// StuckClaim is a part of a refund that is approved and whose payment waits.
type StuckClaim struct {
	ClaimID    string         `json:"claim_id" example:"rc_0123456789abcdef01234567"`
	RefundID   string         `json:"refund_id" example:"rf_0123456789abcdef01234567"`
	MerchantID string         `json:"merchant_id" example:"0123456789abcdef0123456789abcdef"`
	AmountXMR  money.Piconero `json:"amount_xmr" doc:"What is to arrive"`
	WaitsFor   *refund.Waits  `json:"waits_for" doc:"What its payment waits for; null for nothing"`
	Failures   int32          `json:"failures" doc:"Payouts of it that failed"`
	CreatedAt  wire.Time      `json:"created_at"`
	ApprovedAt *wire.Time     `json:"approved_at"`
}

// stuckClaimAfter is when an approved claim is shown: it is paid within minutes,
// unless something is missing.
const stuckClaimAfter = time.Hour

func (d *Admin) stuckTrades(ctx context.Context, now time.Time) ([]StuckTrade, error) {
	rows, err := d.Store.StuckTrades(ctx, db.StuckTradesParams{Kinds: tradeAlerts(), Before: now.Add(-stuckTradeAfter), MaxRows: MaxRows})
	list := make([]StuckTrade, 0, len(rows))
	for _, r := range rows {
		t := r.Trade
		list = append(list, StuckTrade{
			t.ID, trade.Status(t.Status), t.StatusDetail, t.TickerFrom + " " + t.NetworkFrom, t.TickerTo + " " + t.NetworkTo,
			t.AmountFrom, t.AmountTo, wire.TimeOf(t.CreatedAt), wire.TimeOf(t.UpdatedAt), r.OpenAlerts,
		})
	}
	return list, err
}

func (d *Admin) stuckClaims(ctx context.Context, now time.Time) ([]StuckClaim, error) {
	rows, err := d.Store.WaitingClaims(ctx, db.WaitingClaimsParams{Before: now.Add(-stuckClaimAfter), MaxRows: MaxRows})
	list := make([]StuckClaim, 0, len(rows))
	for _, r := range rows {
		claim := StuckClaim{
			ClaimID: r.ID, RefundID: r.RefundID, MerchantID: r.MerchantID, AmountXMR: r.Amount, Failures: r.Failures,
			CreatedAt: wire.TimeOf(r.CreatedAt), ApprovedAt: wire.TimeOrNil(r.ApprovedAt),
		}
		if r.WaitsFor != nil {
			waits := refund.Waits(*r.WaitsFor)
			claim.WaitsFor = &waits
		}
		list = append(list, claim)
	}
	return list, err
}
