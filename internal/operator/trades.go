package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/wire"
)

// Trade is a swap, without its password. Amounts are in whole coins.
type Trade struct {
	TradeID        string        `json:"trade_id"`
	Status         trade.Status  `json:"status"`
	Detail         string        `json:"status_detail"`
	From           string        `json:"from"`
	To             string        `json:"to"`
	AmountFrom     money.Decimal `json:"amount_from"`
	AmountTo       money.Decimal `json:"amount_to"`
	Rate           money.Decimal `json:"rate"`
	Received       money.Decimal `json:"received"`
	Payout         money.Decimal `json:"payout"`
	Reserved       money.Decimal `json:"reserved"`
	DepositAddress string        `json:"deposit_address"`
	Address        string        `json:"address"`
	RefundAddress  string        `json:"refund_address"`
	KeyID          *string       `json:"key_id"`
	CreatedAt      wire.Time     `json:"created_at"`
	ExpiresAt      wire.Time     `json:"expires_at"`
	UpdatedAt      wire.Time     `json:"updated_at"`
	// Alerts are the kinds of open alerts about it, in the list of stuck ones.
	Alerts string `json:"alerts,omitempty"`
}

// TradeDeposit is money that came to a trade's address.
type TradeDeposit struct {
	ID            int64         `json:"id"`
	TxHash        string        `json:"tx_hash"`
	Amount        money.Decimal `json:"amount"`
	Confirmations int64         `json:"confirmations"`
	Locked        bool          `json:"locked"`
	Contested     bool          `json:"contested"`
	Blocked       bool          `json:"blocked"`
	FirstSeenAt   wire.Time     `json:"first_seen_at"`
	MissingAt     *wire.Time    `json:"missing_at"`
	Counted       bool          `json:"counted"`
}

// TradePayment is a payout or a refund of a trade.
type TradePayment struct {
	ID          int64              `json:"id"`
	DepositID   int64              `json:"deposit_id"`
	Kind        trade.Kind         `json:"kind"`
	State       trade.PaymentState `json:"state"`
	Reason      *string            `json:"reason"`
	WalletID    string             `json:"wallet_id"`
	Address     string             `json:"address"`
	Amount      money.Decimal      `json:"amount"`
	TxHash      *string            `json:"tx_hash"`
	Fee         *money.Decimal     `json:"fee"`
	CreatedAt   wire.Time          `json:"created_at"`
	SentAt      *wire.Time         `json:"sent_at"`
	ConfirmedAt *wire.Time         `json:"confirmed_at"`
}

// TradeEvent is a change of the status and where its webhook stands.
type TradeEvent struct {
	ID       int64     `json:"id"`
	At       wire.Time `json:"at"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Delivery string    `json:"delivery"`
	Attempts int32     `json:"attempts"`
	Error    *string   `json:"error"`
}

// WholeTrade is a trade with all that happened to it.
type WholeTrade struct {
	Trade

	Deposits []TradeDeposit `json:"deposits"`
	Payments []TradePayment `json:"payments"`
	Events   []TradeEvent   `json:"events"`
}

// Trades is a list of trades.
type Trades struct {
	Trades []Trade `json:"trades"`
}

// stuckTradeAfter is when a trade that is being settled is shown as stuck: a
// payout is confirmed within about half an hour.
const stuckTradeAfter = time.Hour

// tradeAlerts are the kinds of alerts that name a trade.
func tradeAlerts() []string {
	return []string{alert.TradeFailed, alert.TradeUnbacked, alert.DepositBlocked, alert.TradePaymentFailed, alert.TradePaymentStuck, alert.OrderUnclear}
}

// Trades lists the newest trades, of one status when it is given.
func (d *Admin) Trades(ctx context.Context, status *string, limit int32) (Trades, error) {
	rows, err := d.Store.ListTrades(ctx, db.ListTradesParams{Status: status, Limit: limit})
	list := Trades{make([]Trade, 0, len(rows))}
	for _, r := range rows {
		shown, _, err := d.tradeOf(r, "")
		if err != nil {
			return list, err
		}
		list.Trades = append(list.Trades, shown)
	}
	return list, err
}

// StuckTrades lists the newest trades with an open alert, and those that have
// been settled for longer than an hour.
func (d *Admin) StuckTrades(ctx context.Context, limit int32) (Trades, error) {
	rows, err := d.Store.StuckTrades(ctx, db.StuckTradesParams{
		Kinds: tradeAlerts(), Before: d.now().Add(-stuckTradeAfter), MaxRows: limit,
	})
	list := Trades{make([]Trade, 0, len(rows))}
	for _, r := range rows {
		shown, _, err := d.tradeOf(r.Trade, r.OpenAlerts)
		if err != nil {
			return list, err
		}
		list.Trades = append(list.Trades, shown)
	}
	return list, err
}

// Trade shows one trade; postgres.ErrNotFound when there is none.
func (d *Admin) Trade(ctx context.Context, id string) (WholeTrade, error) {
	row, err := d.Store.GetTrade(ctx, id)
	if err != nil {
		return WholeTrade{}, missing(err)
	}
	shown, details, err := d.tradeOf(row, "")
	if err != nil {
		return WholeTrade{}, err
	}
	whole := WholeTrade{Trade: shown}
	deposits, err := d.Store.TradeDeposits(ctx, id)
	if err != nil {
		return whole, err
	}
	whole.Deposits = each(deposits, func(r db.TradeDeposit) TradeDeposit {
		return TradeDeposit{
			r.ID, r.TxHash, r.Amount, r.Confirmations, r.Locked, r.Contested, r.Blocked, wire.TimeOf(r.FirstSeenAt),
			wire.TimeOrNil(r.MissingAt), row.CountedDeposit != nil && *row.CountedDeposit == r.ID,
		}
	})
	payments, err := d.Store.TradePayments(ctx, id)
	if err != nil {
		return whole, err
	}
	whole.Payments = each(payments, func(r db.TradePaymentState) TradePayment {
		kind, reason := trade.Kind(r.Kind), r.Reason
		if r.TransactionID != nil {
			reason = r.TransactionReason
		}
		return TradePayment{
			r.ID, r.DepositID, kind, trade.PaymentState(r.State), reason, r.WalletID, details.PaidTo(kind), r.Amount,
			r.TxHash, r.Fee, wire.TimeOf(r.CreatedAt), wire.TimeOrNil(r.SentAt), wire.TimeOrNil(r.ConfirmedAt),
		}
	})
	events, err := d.Store.TradeEvents(ctx, id)
	whole.Events = each(events, func(r db.TradeEvent) TradeEvent {
		return TradeEvent{r.ID, wire.TimeOf(r.OccurredAt), r.PrevStatus, r.Status, r.Delivery, r.Attempts, r.Error}
	})
	return whole, err
}

// tradeOf shows a trade, and opens its details for those who show more.
func (d *Admin) tradeOf(r db.Trade, alerts string) (Trade, exchange.Details, error) {
	details, err := exchange.DetailsOf(d.Box, r)
	return Trade{
		TradeID: r.ID, Status: trade.Status(r.Status), Detail: r.StatusDetail, From: r.TickerFrom + " " + r.NetworkFrom,
		To: r.TickerTo + " " + r.NetworkTo, AmountFrom: r.AmountFrom, AmountTo: r.AmountTo, Rate: r.Rate,
		Received: r.Received, Payout: r.Payout, Reserved: r.Reserved, DepositAddress: r.DepositAddress, Address: details.Address,
		RefundAddress: details.Refund, KeyID: r.KeyID, CreatedAt: wire.TimeOf(r.CreatedAt),
		ExpiresAt: wire.TimeOf(r.ExpiresAt), UpdatedAt: wire.TimeOf(r.UpdatedAt), Alerts: alerts,
	}, details, err
}
