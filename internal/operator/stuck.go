package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/wire"
)

const (
	// stuckAfter is when a payout that is being built, or sent and not confirmed,
	// is shown: building gives up after 15 minutes, 10 blocks take about 20.
	stuckAfter = 30 * time.Minute
)

// StuckPayout is a payout that does not get on.
type StuckPayout struct {
	PayoutID   string         `json:"payout_id" example:"po_0123456789abcdef01234567"`
	MerchantID string         `json:"merchant_id" example:"0123456789abcdef0123456789abcdef"`
	WalletID   string         `json:"wallet_id" example:"live"`
	Status     payout.Status  `json:"status" enum:"building,broadcast"`
	GrossXMR   money.Piconero `json:"gross_xmr" doc:"Sum of its charges"`
	TxHash     *string        `json:"tx_hash" doc:"Transaction; null before it is built"`
	CreatedAt  wire.Time      `json:"created_at"`
	SentAt     *wire.Time     `json:"sent_at"`
	Alert      *string        `json:"alert" doc:"Open alert about it"`
}

// UnbackedCharge is a confirmed charge whose money left the chain.
type UnbackedCharge struct {
	ChargeID              string         `json:"charge_id" example:"ch_0123456789abcdef01234567"`
	MerchantID            string         `json:"merchant_id" example:"0123456789abcdef0123456789abcdef"`
	WalletID              string         `json:"wallet_id" example:"live"`
	AmountXMR             money.Piconero `json:"amount_xmr"`
	ConfirmationsRequired int32          `json:"confirmations_required"`
	ConfirmedAt           *wire.Time     `json:"confirmed_at"`
}

// StaleWallet is a wallet that is not being watched.
type StaleWallet struct {
	WalletID    string     `json:"wallet_id" example:"live"`
	ChainID     string     `json:"chain_id" doc:"The chain on which it receives" example:"xmr-Mainnet"`
	Mode        string     `json:"mode" enum:"live,sandbox"`
	ChainHeight int64      `json:"chain_height" doc:"Blocks of the chain at the last look"`
	ScannedAt   *wire.Time `json:"looked_at" doc:"Last look; null when there was none"`
}

// OverdueItem is something that should have moved and has not. Running workflows check
// by themselves and are also woken every ten minutes, so a fault holds the item up.
type OverdueItem struct {
	Kind       outbox.Kind `json:"kind" enum:"charges,payouts,trades,swaps,deliveries,trade_events"`
	ID         string      `json:"id" example:"ch_0123456789abcdef01234567"`
	MerchantID *string     `json:"merchant_id" doc:"null for trades of the exchange and their events"`
	Status     string      `json:"status" example:"pending"`
	Since      wire.Time   `json:"since" doc:"Its deadline, or when it last changed"`
}

// Stuck is everything that has stopped.
type Stuck struct {
	Overdue []OverdueItem    `json:"overdue" doc:"What should have moved more than 15 minutes ago, or an hour where blocks are waited for, and has not"`
	Payouts []StuckPayout    `json:"payouts" doc:"Not confirmed 30 minutes after they were begun or sent, or with an open alert"`
	Charges []UnbackedCharge `json:"charges" doc:"Confirmed, but their money left the chain"`
	Wallets []StaleWallet    `json:"wallets" doc:"Not looked at for 30 seconds"`
	Trades  []StuckTrade     `json:"trades" doc:"Of the exchange: with an open alert, or settled for more than an hour"`
	Claims  []StuckClaim     `json:"claims" doc:"Parts of refunds that were approved more than an hour ago and are not being paid"`
}

// Stuck lists payments that have stopped, at most MaxRows of each kind.
func (d *Admin) Stuck(ctx context.Context) (Stuck, error) {
	now := d.now()
	list := Stuck{Wallets: []StaleWallet{}}
	items, err := outbox.FindOverdue(ctx, d.Store.Queries, outbox.OverdueSearch{Now: now, Grace: d.ConfirmGrace, MaxRows: MaxRows})
	if err != nil {
		return list, err
	}
	list.Overdue = each(items, func(i outbox.Overdue) OverdueItem {
		return OverdueItem{i.Kind, i.ID, orNull(i.MerchantID), i.Status, wire.TimeOf(i.Since)}
	})
	payouts, err := d.Store.UnsettledPayouts(ctx, db.UnsettledPayoutsParams{
		AlertKind: alert.PayoutStuck, Before: now.Add(-stuckAfter), MaxRows: MaxRows,
	})
	if err != nil {
		return list, err
	}
	list.Payouts = each(payouts, func(p db.UnsettledPayoutsRow) StuckPayout {
		return StuckPayout{
			p.ID, p.MerchantID, p.WalletID, payout.Status(p.Status), p.Gross, p.TxHash, wire.TimeOf(p.CreatedAt), wire.TimeOrNil(p.SentAt), p.Alert,
		}
	})
	charges, err := d.Store.UnbackedCharges(ctx, MaxRows)
	if err != nil {
		return list, err
	}
	list.Charges = each(charges, func(c db.UnbackedChargesRow) UnbackedCharge {
		return UnbackedCharge{c.ID, c.MerchantID, c.WalletID, c.AmountPiconero, c.ConfirmationsRequired, wire.TimeOrNil(c.ConfirmedAt)}
	})
	if list.Trades, err = d.stuckTrades(ctx, now); err != nil {
		return list, err
	}
	if list.Claims, err = d.stuckClaims(ctx, now); err != nil {
		return list, err
	}
	wallets, err := d.Store.ListWallets(ctx)
	for _, r := range wallets {
		w, at := r.Wallet, r.Chain.ScannedAt
		if !w.Configured || at == nil || now.Sub(*at) > postgres.UnwatchedAfter {
			list.Wallets = append(list.Wallets, StaleWallet{w.ID, w.ChainID, w.Mode, r.Chain.ChainHeight, wire.TimeOrNil(at)})
		}
	}
	return list, err
}

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
	return each(rows, func(r db.StuckTradesRow) StuckTrade {
		t := r.Trade
		return StuckTrade{
			t.ID, trade.Status(t.Status), t.StatusDetail, t.TickerFrom + " " + t.NetworkFrom, t.TickerTo + " " + t.NetworkTo,
			t.AmountFrom, t.AmountTo, wire.TimeOf(t.CreatedAt), wire.TimeOf(t.UpdatedAt), r.OpenAlerts,
		}
	}), err
}

func (d *Admin) stuckClaims(ctx context.Context, now time.Time) ([]StuckClaim, error) {
	rows, err := d.Store.WaitingClaims(ctx, db.WaitingClaimsParams{Before: now.Add(-stuckClaimAfter), MaxRows: MaxRows})
	return each(rows, func(r db.WaitingClaimsRow) StuckClaim {
		return StuckClaim{
			r.ID, r.RefundID, r.MerchantID, r.Amount, (*refund.Waits)(r.WaitsFor), r.Failures, wire.TimeOf(r.CreatedAt), wire.TimeOrNil(r.ApprovedAt),
		}
	}), err
}
