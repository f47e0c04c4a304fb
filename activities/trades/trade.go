package trades

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
)

// Handler has the activities of the trade workflow.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	Quoter *exchange.Quoter
	// Sanctioned reports whether one of the addresses is on the sanctions list in force.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
	// Window is how long a deposit to another provider may take.
	Window time.Duration
	// ConfirmGrace is how long after that the rate is still locked for a deposit that was
	// seen in time, see trade.Trade.Grace.
	ConfirmGrace time.Duration
	Clock        func() time.Time
}

// TradeTask names a trade.
type TradeTask struct {
	TradeID string
}

// TradePayment is a payment of the exchange that the workflow handles.
type TradePayment struct {
	ID       int64
	WalletID string
	State    trade.PaymentState
	Kind     trade.Kind
}

// TradeState is the state that the workflow of a trade needs to continue.
type TradeState struct {
	Status     trade.Status
	Detail     string
	Pair       string
	AmountFrom money.Decimal
	Received   money.Decimal
	ExpiresAt  time.Time
	// RecheckAt is when the passing of time alone changes the trade, or when a postponed
	// answer is retried. It is zero if neither is so, or if the trade was only read.
	RecheckAt time.Time
	// Postponed is set if a deposit waits for its answer until the database is known not to
	// be behind.
	Postponed bool
	// Upstream is set if another provider fills the trade, Closed if that provider is not
	// asked any more.
	Upstream, Closed bool
	// Held is set if the deposit lost its depth: nothing is built for it.
	Held bool
	// Payments are payments that are not confirmed yet: a page of them, first those to be
	// sent, payouts before refunds. Open counts all.
	Payments []TradePayment
	Open     int
	// Waiting counts refunds whose turn comes later; they are not in the page.
	Waiting int
	// Events are the events that have a receiver and were not attempted yet, in order.
	Events []int64
}

// state reads the workflow's state of a trade. It returns ErrNotFound if there is no such
// trade.
func (a *Handler) state(ctx context.Context, tradeID string) (TradeState, error) {
	row, err := a.Store.GetTrade(ctx, tradeID)
	if err != nil {
		return TradeState{}, err
	}
	return stateOfTrade(ctx, a.Store.Queries, row, false, a.Clock())
}

func stateOfTrade(ctx context.Context, q *db.Queries, row db.Trade, held bool, now time.Time) (TradeState, error) {
	s := TradeState{
		Status: trade.Status(row.Status), Detail: row.StatusDetail, AmountFrom: row.AmountFrom, Received: row.Received,
		Pair: row.TickerFrom + "-" + row.TickerTo, ExpiresAt: row.ExpiresAt, Held: held, Upstream: row.WalletFrom == nil,
	}
	if s.Upstream {
		order, err := q.PlacedOrder(ctx, row.ID)
		if err != nil {
			return s, err
		}
		s.Closed = order.ClosedAt != nil
	}
	if err := s.fill(ctx, q, row.ID, now); err != nil {
		return s, err
	}
	var err error
	s.Events, err = q.UnsentTradeEvents(ctx, row.ID)
	return s, err
}
