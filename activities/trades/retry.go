package trades

import (
	"context"
	"errors"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/witness"
)

// RetryTradePayment is an operator's request to retry a failed transaction of a trade, or
// to send its deposit back instead.
type RetryTradePayment struct {
	TradeID        string
	TradePaymentID int64
	// Refund sends the deposit back instead of paying out.
	Refund bool
	// Release gives up bytes that can never be mined any more, so that the payment is built
	// again.
	Release bool
	// Actor is the operator, for the audit.
	Actor string
}

// RetryTradePayment reopens a failed payment, if that can never pay twice. If its
// transaction was built, only the same bytes are relayed again. If it was not built, it
// is built. With Refund, a refund replaces a payout that was never built. With Release, a
// transaction that was built, or sent and lost, is given up, once another transaction
// spends its coins so deep in the chain that it can never be mined. The audit, the alerts
// and the transaction change together. A second run finds nothing that failed and changes
// nothing.
func (a *Payments) RetryTradePayment(ctx context.Context, in RetryTradePayment) error {
	p, err := a.Store.GetTradePayment(ctx, in.TradePaymentID)
	if postgres.IsNotFound(err) || (err == nil && p.TradeID != in.TradeID) {
		return refusals.New(refusals.TradePayment, "the trade has no such transaction")
	}
	if err != nil {
		return err
	}
	if in.Release {
		err = a.checkLost(ctx, p)
	} else {
		err = a.checkRevivable(ctx, p, in.Refund)
	}
	if err != nil {
		return err
	}
	err = a.Store.Tx(ctx, func(q *db.Queries) error { return a.retryTradePayment(ctx, q, in, p.TransactionID) })
	if errors.Is(err, witness.ErrKnown) {
		err = refusals.New(refusals.TradePayment, witness.ErrKnown.Error())
	}
	return err
}

// checkRevivable refuses a retry that could pay twice, or could never be paid.
func (a *Payments) checkRevivable(ctx context.Context, p db.TradePaymentState, refund bool) error {
	switch {
	case trade.PaymentState(p.State) != trade.PaymentFailed:
		return nil
	case p.TransactionID == nil:
		return nil
	case refund:
		return refusals.New(refusals.TradePayment, "its payment was built and may still be mined: sending the deposit back could pay twice")
	}
	if err := a.checkAllDue(ctx, *p.TransactionID); err != nil {
		return err
	}
	tx, err := a.Store.GetOutgoing(ctx, *p.TransactionID)
	if err != nil {
		return err
	}
	found, err := a.outgoing().Find(ctx, tx)
	if err != nil {
		return err
	}
	if found.State == chain.Unknown && (found.Inputs == chain.InputsSpent || found.Inputs == chain.InputsContested) {
		return refusals.New(refusals.TradePayment, "another transaction spends its coins")
	}
	return nil
}

// checkLost refuses to give up bytes that may still be mined.
func (a *Payments) checkLost(ctx context.Context, p db.TradePaymentState) error {
	switch state := trade.PaymentState(p.State); {
	case p.TransactionID == nil:
		return nil // it is given up already, or there is nothing to give up
	case state != trade.Sent && state != trade.PaymentFailed:
		return refusals.New(refusals.TradePayment, "it is on its way")
	}
	tx, err := a.Store.GetOutgoing(ctx, *p.TransactionID)
	if err != nil {
		return err
	}
	why, err := a.outgoing().StillSpendable(ctx, tx)
	if err == nil && why != "" {
		err = refusals.New(refusals.TradePayment, why)
	}
	return err
}

// checkAllDue is checkDue for all payments of a transaction, because the bytes pay them
// all.
func (a *Payments) checkAllDue(ctx context.Context, transactionID int64) error {
	payments, err := a.Store.PaymentsOfTransaction(ctx, transactionID)
	if err != nil {
		return err
	}
	for _, p := range payments {
		state, err := a.Store.GetTradePayment(ctx, p.ID)
		if err == nil {
			err = a.checkDue(ctx, state)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkDue refuses a payment that may not be made now. It is the only check for bytes
// that are relayed again.
func (a *Payments) checkDue(ctx context.Context, t db.TradePaymentState) error {
	err := a.checkBacked(ctx, t)
	if errors.Is(err, errUnbacked) || errors.Is(err, chain.ErrNotFound) {
		return refusals.New(refusals.TradePayment, "its deposit is not what it was")
	}
	if err != nil {
		return err
	}
	sanctioned, err := a.sanctioned(ctx, t)
	if err == nil && sanctioned != "" {
		err = refusals.New(refusals.TradePayment, sanctioned)
	}
	return err
}

// retryTradePayment changes the payment, or the transaction that was checked.
func (a *Payments) retryTradePayment(ctx context.Context, q *db.Queries, in RetryTradePayment, transactionID *int64) error {
	row, err := q.LockTrade(ctx, in.TradeID)
	if err != nil {
		return err
	}
	if _, err := q.LockTradePayment(ctx, in.TradePaymentID); err != nil {
		return err
	}
	p, err := q.GetTradePayment(ctx, in.TradePaymentID)
	if err != nil {
		return err
	}
	together, err := paidTogether(ctx, q, p)
	if err != nil {
		return err
	}
	action, changed, err := a.changePayment(ctx, q, row, p, in, transactionID)
	if err != nil || changed == 0 { // another run was faster, or there is nothing to do
		return err
	}
	if err := closeRetried(ctx, q, p, together); err != nil {
		return err
	}
	return sending.Audit(ctx, q,
		db.RecordAuditParams{At: *a.outgoing().Now(), Actor: in.Actor, Action: action, Subject: paymentSubject(p.TradeID, p.ID)},
		map[string]any{"kind": p.Kind, "reason": reasonOf(p), "tx_hash": p.TxHash})
}

// changePayment does what the request asks for, and returns its name in the audit log. It
// returns 0 if there is nothing to do.
func (a *Payments) changePayment(
	ctx context.Context, q *db.Queries, row db.Trade, p db.TradePaymentState, in RetryTradePayment, transactionID *int64,
) (action string, changed int64, err error) {
	action = "trade_payment.retry"
	switch {
	case in.Release:
		action = "trade_payment.release"
		changed, err = a.releaseTransaction(ctx, q, p, transactionID, in.Actor)
	case trade.PaymentState(p.State) != trade.PaymentFailed:
		if in.Refund && trade.Kind(p.Kind) != trade.Refund {
			err = refusals.New(refusals.TradePayment, "the payout has not failed")
		}
	case in.Refund && trade.Kind(p.Kind) == trade.Payout:
		action = "trade_payment.refund"
		changed, err = refundInstead(ctx, q, row, p)
	case p.TransactionID != nil:
		changed, err = q.RetryOutgoing(ctx, *p.TransactionID) // the same bytes
	default:
		changed, err = q.RetryTradePayment(ctx, p.ID)
	}
	return action, changed, err
}

// paidTogether returns the payments of this payment's transaction, including this one.
func paidTogether(ctx context.Context, q *db.Queries, p db.TradePaymentState) ([]db.TradePayment, error) {
	if p.TransactionID == nil {
		return []db.TradePayment{{ID: p.ID, TradeID: p.TradeID, DepositID: p.DepositID}}, nil
	}
	return q.PaymentsOfTransaction(ctx, *p.TransactionID)
}

// closeRetried closes the alerts about payments that are open again, and about trades
// that had failed because of them. It notifies the other trades.
func closeRetried(ctx context.Context, q *db.Queries, p db.TradePaymentState, together []db.TradePayment) error {
	var otherTrades []string
	for _, t := range together {
		row, err := q.GetTrade(ctx, t.TradeID)
		if err != nil {
			return err
		}
		gone := map[string]string{
			alert.TradePaymentFailed: paymentSubject(t.TradeID, t.ID), alert.TradePaymentStuck: paymentSubject(t.TradeID, t.ID),
		}
		if row.CountedDeposit != nil && *row.CountedDeposit == t.DepositID {
			gone[alert.TradeFailed] = t.TradeID
		}
		for kind, about := range gone {
			if err := q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: kind, Subject: about}); err != nil {
				return err
			}
		}
		if t.TradeID != p.TradeID {
			otherTrades = append(otherTrades, t.TradeID)
		}
	}
	if len(otherTrades) == 0 {
		return nil
	}
	return q.WakeTrades(ctx, otherTrades)
}

// releaseTransaction gives up the transaction that was checked, if it still is the
// payment's.
func (a *Payments) releaseTransaction(ctx context.Context, q *db.Queries, p db.TradePaymentState, checkedID *int64, actor string) (int64, error) {
	if p.TransactionID == nil || checkedID == nil || *p.TransactionID != *checkedID {
		return 0, nil
	}
	tx, err := q.GetOutgoing(ctx, *checkedID)
	if err != nil {
		return 0, err
	}
	return a.outgoing().Abandon(ctx, q, tx, actor)
}

// refundInstead turns a payout that was never built into the refund of its deposit. A
// deposit has one payment, so it is never answered by both.
func refundInstead(ctx context.Context, q *db.Queries, row db.Trade, p db.TradePaymentState) (int64, error) {
	d, err := q.PaidDeposit(ctx, p.ID)
	if err != nil {
		return 0, err
	}
	return q.RefundInstead(ctx, db.RefundInsteadParams{ID: p.ID, WalletID: value(row.WalletFrom), Amount: d.Amount})
}
