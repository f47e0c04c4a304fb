package trades

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

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
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradePaymentStuck, Subject: subject})
	}
	_, why, err := refundsWait(ctx, q, tradeID, waiting[0].WalletID, now)
	if err != nil {
		return err
	}
	return q.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.TradePaymentStuck, Subject: subject,
		Detail: fmt.Sprintf("%d refunds wait for long: %s", len(waiting), cmp.Or(why, "their wallet has not sent them")),
	})
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
