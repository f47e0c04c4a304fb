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

// Trade is a trade, without its password. Amounts are in whole coins.
type Trade struct {
	TradeID        string        `json:"trade_id" example:"0123456789abcdef0123456789abcdef"`
	Status         trade.Status  `json:"status" enum:"awaiting_deposit,deposit_detected,confirming,processing,sending,completed,refunded,failed,expired,hold"`
	Detail         string        `json:"status_detail" doc:"Why it has this status; empty for nothing to say"`
	From           string        `json:"from" doc:"Ticker and network of the deposit" example:"xmr Mainnet"`
	To             string        `json:"to" doc:"Ticker and network of the payout" example:"ltc Mainnet"`
	AmountFrom     money.Decimal `json:"amount_from" doc:"Announced deposit, in whole coins" example:"1.5"`
	AmountTo       money.Decimal `json:"amount_to" doc:"What that deposit pays" example:"2.75"`
	Rate           money.Decimal `json:"rate" example:"1.8333"`
	Received       money.Decimal `json:"received" doc:"Deposit that its status follows; 0: none" example:"1.5"`
	Payout         money.Decimal `json:"payout" doc:"What that deposit pays; 0: nothing" example:"2.75"`
	Reserved       money.Decimal `json:"reserved" doc:"Inventory reserved for the payout" example:"0"`
	DepositAddress string        `json:"deposit_address" doc:"Where the deposit is paid"`
	Address        string        `json:"address,omitempty" doc:"Where the payout goes. Only on the command line, whose keys open it"`
	RefundAddress  string        `json:"refund_address,omitempty" doc:"Where a refund goes. Only on the command line, whose keys open it"`
	KeyID          *string       `json:"key_id" doc:"Key that it was made with; null: none"`
	CreatedAt      wire.Time     `json:"created_at"`
	ExpiresAt      wire.Time     `json:"expires_at"`
	UpdatedAt      wire.Time     `json:"updated_at"`
	// Alerts are the kinds of open alerts about it, in the list of stuck ones.
	Alerts string `json:"alerts,omitempty" doc:"Kinds of open alerts about it, in the list of stuck trades"`
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
	Kind        trade.Kind         `json:"kind" enum:"payout,refund"`
	State       trade.PaymentState `json:"state" example:"confirmed"`
	Reason      *string            `json:"reason"`
	WalletID    string             `json:"wallet_id"`
	Address     string             `json:"address,omitempty" doc:"Where it goes. Only on the command line, whose keys open it"`
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
	Payments []TradePayment `json:"payments" doc:"Payouts and refunds"`
	Events   []TradeEvent   `json:"events" doc:"Changes of its status, and their webhooks"`
	Timeline []Step         `json:"timeline" doc:"The oldest first"`
}

// Trades is a page of trades.
type Trades struct {
	Trades     []Trade `json:"trades" doc:"Newest first"`
	NextCursor *string `json:"next_cursor" doc:"Cursor of the next page; null on the last" example:"1795253400123456.0123456789abcdef0123456789abcdef"`
}

// stuckTradeAfter is when a trade that is being settled is shown as stuck: a
// payout is confirmed within about half an hour.
const stuckTradeAfter = time.Hour

// tradeAlerts are the kinds of alerts that name a trade.
func tradeAlerts() []string {
	return []string{alert.TradeFailed, alert.TradeUnbacked, alert.DepositBlocked, alert.TradePaymentFailed, alert.TradePaymentStuck, alert.OrderUnclear}
}

func tradeStatuses() []string {
	return each(trade.Statuses(), func(s trade.Status) string { return string(s) })
}

// Trades lists the newest trades.
func (d *Admin) Trades(ctx context.Context, status string, p TimePage) (Trades, error) {
	before, id, err := p.before()
	if err != nil {
		return Trades{}, err
	}
	statuses, err := Filter{Status: status}.statuses(tradeStatuses())
	if err != nil {
		return Trades{}, err
	}
	rows, err := d.Store.NewestTrades(ctx, db.NewestTradesParams{Statuses: statuses, Before: before, BeforeID: id, MaxRows: p.Limit})
	if err != nil {
		return Trades{}, err
	}
	list := Trades{make([]Trade, 0, len(rows)), after(p, rows, func(r db.Trade) (time.Time, string) { return r.CreatedAt, r.ID })}
	for _, r := range rows {
		shown, _, err := d.tradeOf(r, "")
		if err != nil {
			return list, err
		}
		list.Trades = append(list.Trades, shown)
	}
	return list, nil
}

// StuckTrades lists the newest trades with an open alert, and those that have
// been settled for longer than an hour.
func (d *Admin) StuckTrades(ctx context.Context, limit int32) (Trades, error) {
	rows, err := d.Store.StuckTrades(ctx, db.StuckTradesParams{
		Kinds: tradeAlerts(), Before: d.now().Add(-stuckTradeAfter), MaxRows: limit,
	})
	list := Trades{Trades: make([]Trade, 0, len(rows))}
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
	steps := timeline{}
	steps.add(&row.CreatedAt, "trade created", whole.AmountFrom.String()+" "+whole.From)
	whole.Deposits = each(deposits, func(r db.TradeDeposit) TradeDeposit {
		steps.add(&r.FirstSeenAt, "deposit seen", r.Amount.String()+" in "+r.TxHash)
		steps.add(r.MissingAt, "deposit left the chain", r.TxHash)
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
		steps.add(r.SentAt, r.Kind+" relayed", textOf(r.TxHash))
		steps.add(r.ConfirmedAt, r.Kind+" confirmed", textOf(r.TxHash))
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
		steps.add(&r.OccurredAt, r.Status, "webhook "+r.Delivery)
		return TradeEvent{r.ID, wire.TimeOf(r.OccurredAt), r.PrevStatus, r.Status, r.Delivery, r.Attempts, r.Error}
	})
	whole.Timeline = steps.sorted()
	return whole, err
}

// tradeOf returns a trade, and its details where the keys open them.
func (d *Admin) tradeOf(r db.Trade, alerts string) (Trade, exchange.Details, error) {
	var details exchange.Details
	if d.AllKeys {
		var err error
		if details, err = exchange.DetailsOf(d.Box, r); err != nil {
			return Trade{}, details, err
		}
	}
	return Trade{
		TradeID: r.ID, Status: trade.Status(r.Status), Detail: r.StatusDetail, From: r.TickerFrom + " " + r.NetworkFrom,
		To: r.TickerTo + " " + r.NetworkTo, AmountFrom: r.AmountFrom, AmountTo: r.AmountTo, Rate: r.Rate,
		Received: r.Received, Payout: r.Payout, Reserved: r.Reserved, DepositAddress: r.DepositAddress, Address: details.Address,
		RefundAddress: details.Refund, KeyID: r.KeyID, CreatedAt: wire.TimeOf(r.CreatedAt),
		ExpiresAt: wire.TimeOf(r.ExpiresAt), UpdatedAt: wire.TimeOf(r.UpdatedAt), Alerts: alerts,
	}, details, nil
}
