package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// ReviveTransfer asks for a failed transaction of a trade to be tried again,
// or for its deposit to be sent back instead.
type ReviveTransfer struct {
	TradeID    string
	TransferID int64
	// Refund sends the deposit back instead of paying out.
	Refund bool
	// Release gives up bytes that can never be mined any more, so that the
	// payment is built anew.
	Release bool
	// Actor is who asks, for the audit.
	Actor string
}

// ReviveTransfer opens a failed transaction again, where that can never pay
// twice: one that was built is only relayed again, the same bytes, and one that
// was not is built. A refund takes the place of a payout that was never built.
// A release gives up what was built, or was sent and lost, once another
// transaction that spends its coins lies so deep that it can never be mined.
// The audit, the alerts and the transaction change together; run twice, the
// second run finds nothing that failed and changes nothing.
func (a *Trades) ReviveTransfer(ctx context.Context, in ReviveTransfer) error {
	stop := beat(ctx)
	defer stop()
	t, err := a.Store.GetTransfer(ctx, in.TransferID)
	if postgres.IsNotFound(err) || (err == nil && t.TradeID != in.TradeID) {
		return refuse(RefusedTransfer, "the trade has no such transaction")
	}
	if err != nil {
		return err
	}
	if in.Release {
		err = a.checkLost(ctx, t)
	} else {
		err = a.checkRevivable(ctx, t, in.Refund)
	}
	if err != nil {
		return err
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error { return a.revive(ctx, q, in) })
}

// checkRevivable refuses what could pay twice, or could never be paid.
func (a *Trades) checkRevivable(ctx context.Context, t db.TradeTransfer, refund bool) error {
	switch {
	case trade.TransferState(t.State) != trade.TransferFailed:
		return nil
	case t.Raw == nil:
		return nil
	case refund:
		return refuse(RefusedTransfer, "its payment was built and may still be mined: sending the deposit back could pay twice")
	}
	if err := a.checkDue(ctx, t); err != nil {
		return err
	}
	wallet, _, err := a.wallet(t.WalletID)
	if err != nil {
		return err
	}
	found, err := wallet.Find(ctx, builtOf(t))
	if err != nil {
		return err
	}
	if found.State == chain.Unknown && (found.Inputs == chain.InputsSpent || found.Inputs == chain.InputsContested) {
		return refuse(RefusedTransfer, "another transaction spends its coins")
	}
	return nil
}

// lostDepth is for how many blocks the coins of a transaction must have been
// spent otherwise before it is given up.
const lostDepth = 10

// checkLost refuses to give up bytes that may still be mined, now or after a
// reorganization. It notes when their coins were first seen spent, and whoever
// asks early asks again.
func (a *Trades) checkLost(ctx context.Context, t db.TradeTransfer) error {
	switch state := trade.TransferState(t.State); {
	case t.Raw == nil:
		return nil // it is given up already, or there is nothing to give up
	case state != trade.Sent && state != trade.TransferFailed:
		return refuse(RefusedTransfer, "it is on its way")
	}
	wallet, _, err := a.wallet(t.WalletID)
	if err != nil {
		return err
	}
	found, err := wallet.Find(ctx, builtOf(t))
	if err != nil {
		return err
	}
	left, err := a.noteLost(ctx, wallet, t, found)
	if err != nil {
		return err
	}
	if !isLost(found) {
		return refuse(RefusedTransfer, "it can still be mined: no other transaction in a block spends its coins")
	}
	if left > 0 {
		return refuse(RefusedTransfer, fmt.Sprintf("a reorganization could still bring it back: ask again in %d blocks", left))
	}
	return nil
}

// isLost says that a block holds another transaction that spends the coins.
func isLost(found chain.Found) bool {
	return found.State == chain.Unknown && found.Inputs == chain.InputsSpent
}

// noteLost keeps since when a transaction is lost, and forgets it when it is
// not. left is for how many blocks it may not be given up yet.
func (a *Trades) noteLost(ctx context.Context, wallet chain.Wallet, t db.TradeTransfer, found chain.Found) (left int64, err error) {
	tip, err := wallet.Tip(ctx)
	if err != nil {
		return 0, err
	}
	since, err := a.Store.NoteTransferLost(ctx, db.NoteTransferLostParams{ID: t.ID, Lost: isLost(found), Height: int64(tip.Height)})
	if postgres.IsNotFound(err) { // given up meanwhile
		return 0, nil
	}
	return max(since+lostDepth-int64(tip.Height), 0), err
}

// checkDue refuses what may not be paid now: bytes that are relayed again pass
// no other check.
func (a *Trades) checkDue(ctx context.Context, t db.TradeTransfer) error {
	err := a.checkBacked(ctx, t)
	if errors.Is(err, errUnbacked) || errors.Is(err, chain.ErrNotFound) {
		return refuse(RefusedTransfer, "its deposit is not what it was")
	}
	if err != nil {
		return err
	}
	barred, err := a.barred(ctx, t)
	if err == nil && barred != "" {
		err = refuse(RefusedTransfer, barred)
	}
	return err
}

func (a *Trades) revive(ctx context.Context, q *db.Queries, in ReviveTransfer) error {
	row, err := q.LockTrade(ctx, in.TradeID)
	if err != nil {
		return err
	}
	t, err := q.LockTransfer(ctx, in.TransferID)
	if err != nil {
		return err
	}
	action := "transfer.retry"
	switch {
	case in.Release:
		if t.Raw == nil || t.LostHeight == nil {
			return nil // another run was faster
		}
		action, err = "transfer.release", a.release(ctx, q, in)
	case trade.TransferState(t.State) != trade.TransferFailed:
		if in.Refund && trade.Kind(t.Kind) != trade.Refund {
			return refuse(RefusedTransfer, "the payout has not failed")
		}
		return nil
	case in.Refund && trade.Kind(t.Kind) == trade.Payout:
		action = "transfer.refund"
		err = refundInstead(ctx, q, row, t)
	default:
		err = q.ReviveTransfer(ctx, t.ID)
	}
	if err != nil {
		return err
	}
	return a.recordRevival(ctx, q, in, t, action)
}

// release gives the bytes up and keeps them apart.
func (a *Trades) release(ctx context.Context, q *db.Queries, in ReviveTransfer) error {
	if err := q.KeepReleased(ctx, db.KeepReleasedParams{ID: in.TransferID, ReleasedAt: *a.at(), Actor: in.Actor}); err != nil {
		return err
	}
	return q.ReleaseTransfer(ctx, in.TransferID)
}

// refundInstead makes a payout that was never built the refund of its deposit:
// a deposit has one row, so it is never answered by both.
func refundInstead(ctx context.Context, q *db.Queries, row db.Trade, t db.TradeTransfer) error {
	d, err := q.TransferDeposit(ctx, t.ID)
	if err != nil {
		return err
	}
	return q.RefundInstead(ctx, db.RefundInsteadParams{
		ID: t.ID, WalletID: walletOf(row.WalletFrom), Address: row.RefundAddress, Amount: d.Amount,
	})
}

// recordRevival closes the alerts and writes the audit.
func (a *Trades) recordRevival(ctx context.Context, q *db.Queries, in ReviveTransfer, t db.TradeTransfer, action string) error {
	subject := fmt.Sprintf("%s/%d", t.TradeID, t.ID)
	for kind, about := range map[string]string{AlertTransferFailed: subject, AlertTransferStuck: subject, AlertTradeFailed: t.TradeID} {
		if err := q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: kind, Subject: about}); err != nil {
			return err
		}
	}
	detail, err := json.Marshal(map[string]any{"kind": t.Kind, "reason": t.Reason, "tx_hash": t.TxHash})
	if err != nil {
		return err
	}
	return q.RecordAudit(ctx, db.RecordAuditParams{
		At: *a.at(), Actor: in.Actor, Action: action, Subject: subject, Detail: string(detail),
	})
}
