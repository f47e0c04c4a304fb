package trades

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// EndTrade is an operator's request that a trade stops waiting for a deposit that may
// never be spendable.
type EndTrade struct {
	TradeID string
	// Actor is the operator, for the audit.
	Actor string
}

// reasonDropped is why a payment ended whose deposit is gone.
const reasonDropped = "its deposit left the chain for good"

// EndTrade ends the wait for a deposit that its payer locked: the deposit is sent back
// once it can be spent. It also fails payouts and refunds that were never begun and whose
// deposit left the chain. It gives up nothing that could be paid. If the trade has
// nothing of either kind, it returns refusals.TradePayment. The audit entry is written in
// the same transaction. A second run finds nothing to end and returns no error.
func (a *Payments) EndTrade(ctx context.Context, in EndTrade) error {
	row, err := a.Store.GetTrade(ctx, in.TradeID)
	if postgres.IsNotFound(err) || (err == nil && row.WalletFrom == nil) {
		return refusals.New(refusals.TradePayment, "the exchange fills no such trade")
	}
	if err != nil {
		return err
	}
	lost, err := a.droppedPayments(ctx, in.TradeID)
	if err != nil {
		return err
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error { return a.end(ctx, q, in, lost) })
}

// droppedPayments returns the payments that wait for a deposit that the chain does not
// have.
func (a *Payments) droppedPayments(ctx context.Context, tradeID string) (lost []db.TradePaymentState, err error) {
	payments, err := a.Store.TradePayments(ctx, tradeID)
	if err != nil {
		return nil, err
	}
	for _, t := range payments {
		if trade.PaymentState(t.State) != trade.Planned {
			continue
		}
		if err := a.checkBacked(ctx, t); errors.Is(err, chain.ErrNotFound) {
			lost = append(lost, t)
		} else if err != nil && !errors.Is(err, errUnbacked) {
			return nil, err
		}
	}
	return lost, nil
}

func (a *Payments) end(ctx context.Context, q *db.Queries, in EndTrade, lost []db.TradePaymentState) error {
	row, err := q.LockTrade(ctx, in.TradeID)
	if err != nil {
		return err
	}
	var ended []string
	if s := trade.Status(row.Status); s == trade.DepositDetected || s == trade.Confirming {
		abandoned, err := q.AbandonLockedDeposits(ctx, row.ID)
		if err != nil {
			return err
		}
		for _, id := range abandoned {
			ended = append(ended, fmt.Sprintf("deposit %d", id))
		}
	}
	reason := reasonDropped
	for _, t := range lost {
		failed, err := q.FailTradePayment(ctx, db.FailTradePaymentParams{ID: t.ID, Reason: reason})
		if err != nil {
			return err
		}
		if failed > 0 {
			ended = append(ended, fmt.Sprintf("%s %d", t.Kind, t.ID))
			err = q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradePaymentStuck, Subject: unsentPayment(t, "").Subject})
		}
		if err != nil {
			return err
		}
	}
	if len(ended) > 0 {
		return sending.Audit(ctx, q, db.RecordAuditParams{At: *a.at(), Actor: in.Actor, Action: "trade.end", Subject: in.TradeID},
			map[string]any{"ended": ended})
	}
	done, err := q.HasEnded(ctx, db.HasEndedParams{TradeID: row.ID, Reason: reason})
	if err == nil && !done {
		err = refusals.New(refusals.TradePayment, "it waits for no deposit that is locked or has left the chain")
	}
	return err
}
