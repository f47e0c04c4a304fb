package trades

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
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

// pageUnsent and pageOpen bound the payments that a workflow gets of a trade: pageUnsent
// those to be sent, pageOpen these and those that were sent. The rest follows when these
// are done, so that many deposits on one trade make no long history.
const (
	pageUnsent = 12
	pageOpen   = 16
)

// fill writes the open payments of a trade into its state.
func (s *TradeState) fill(ctx context.Context, q *db.Queries, tradeID string, now time.Time) error {
	payments, err := q.TradePayments(ctx, tradeID)
	if err != nil {
		return err
	}
	var unsent, sent []TradePayment
	wait, asked := false, false
	for _, p := range payments {
		open := TradePayment{ID: p.ID, WalletID: p.WalletID, State: trade.PaymentState(p.State), Kind: trade.Kind(p.Kind)}
		switch open.State {
		case trade.PaymentConfirmed, trade.PaymentFailed:
			continue
		case trade.Sent:
			sent = append(sent, open)
		case trade.Planned:
			if open.Kind == trade.Refund && !asked {
				room, _, err := refundsWait(ctx, q, tradeID, p.WalletID, now)
				if err != nil {
					return err
				}
				wait, asked = room <= 0, true
			}
			if open.Kind == trade.Refund && wait {
				s.Waiting++
				continue
			}
			unsent = append(unsent, open)
		default:
			unsent = append(unsent, open)
		}
		s.Open++
	}
	slices.SortStableFunc(unsent, func(a, b TradePayment) int {
		return cmp.Compare(a.Kind, b.Kind) // a payout before a refund
	})
	s.Payments = slices.Concat(unsent[:min(len(unsent), pageUnsent)], sent)
	s.Payments = s.Payments[:min(len(s.Payments), pageOpen)]
	s.Open += s.Waiting
	return nil
}

// longUnsent is how long a payout or refund may wait for its wallet before operators get
// an alert.
const longUnsent = 30 * time.Minute

// alertUnsent alerts operators to transactions that their wallet has not made for long:
// it has no money, or no worker serves it. The alert closes once they are sent. A trade
// has one alert for all its refunds, because anyone can cause many.
func alertUnsent(ctx context.Context, q *db.Queries, tradeID string, now time.Time) error {
	payments, err := q.TradePayments(ctx, tradeID)
	if err != nil {
		return err
	}
	var waiting []db.TradePaymentState
	for _, p := range payments {
		state := trade.PaymentState(p.State)
		switch {
		case state != trade.Planned && state != trade.Building && state != trade.Built, now.Sub(p.CreatedAt) < longUnsent:
		case state == trade.Planned && trade.Kind(p.Kind) == trade.Refund:
			waiting = append(waiting, p)
		default:
			if err := q.OpenAlert(ctx, unsentPayment(p, "its wallet has not sent it for long")); err != nil {
				return err
			}
		}
	}
	return alertWaiting(ctx, q, tradeID, waiting, now)
}

// alertWaiting alerts operators to refunds that wait for long, or closes the alert if
// none does.
func alertWaiting(ctx context.Context, q *db.Queries, tradeID string, waiting []db.TradePaymentState, now time.Time) error {
	subject := tradeID + "/refunds"
	if len(waiting) == 0 {
		return sending.Alert(ctx, q, alert.TradePaymentStuck, subject, "")
	}
	_, why, err := refundsWait(ctx, q, tradeID, waiting[0].WalletID, now)
	if err != nil {
		return err
	}
	return sending.Alert(ctx, q, alert.TradePaymentStuck, subject,
		fmt.Sprintf("%d refunds wait for long: %s", len(waiting), cmp.Or(why, "their wallet has not sent them")))
}

const (
	// payoutsFirst is how long a planned payout of the wallet delays refunds. A payout that
	// waits longer has another cause.
	payoutsFirst = 10 * time.Minute
	// refundsPerHour bounds the refunds of one trade in refundWindow.
	refundsPerHour = 30
	refundWindow   = time.Hour
)

// refundsWait returns how many more refunds of a trade may be made now, and, if there are
// none, why.
func refundsWait(ctx context.Context, q *db.Queries, tradeID, walletID string, now time.Time) (room int, why string, err error) {
	payouts, err := q.PayoutsWait(ctx, db.PayoutsWaitParams{WalletID: walletID, Since: now.Add(-payoutsFirst)})
	if err != nil {
		return 0, "", err
	}
	if payouts {
		return 0, "payouts of the wallet come first", nil
	}
	made, err := q.RefundsSince(ctx, db.RefundsSinceParams{TradeID: tradeID, Since: now.Add(-refundWindow)})
	if err != nil || made < refundsPerHour {
		return refundsPerHour - int(made), "", err
	}
	return 0, "a trade has at most 30 refunds in an hour", nil
}
