package trades

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/witness"
)

// Payments makes the payments of the exchange.
type Payments struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Settings know the coins of the wallets.
	Settings exchange.Settings
	// Wallets are the exchange's wallets that this process reaches, by ID.
	Wallets map[string]chain.Wallet
	// Sanctioned reports whether one of the addresses is on the sanctions list in force.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
	// Witness knows outside of the database which transactions may have been sent.
	Witness *witness.Keeper
	Clock   func() time.Time
}

// CheckTradePayments checks the sent transactions of a trade on their chains. It relays a
// transaction again that a reorganization dropped, and records those that are deep
// enough. A second run checks a second time.
func (a *Payments) CheckTradePayments(ctx context.Context, in TradeTask) error {
	payments, err := a.Store.TradePayments(ctx, in.TradeID)
	if err != nil {
		return err
	}
	looked := map[int64]bool{}
	for _, p := range payments {
		if trade.PaymentState(p.State) != trade.Sent || looked[*p.TransactionID] {
			continue
		}
		looked[*p.TransactionID] = true
		if err := a.checkTradePayment(ctx, *p.TransactionID); err != nil {
			return alertNoWallet(ctx, a.Store, in.TradeID, err)
		}
	}
	return nil
}

func (a *Payments) checkTradePayment(ctx context.Context, id int64) error {
	tx, err := a.Store.GetOutgoing(ctx, id)
	if err != nil || witness.TxState(tx.State) != witness.TxSent {
		return err
	}
	_, c, err := a.wallet(tx.WalletID)
	if err != nil {
		return err
	}
	seen, err := a.outgoing().Check(ctx, tx)
	if err != nil {
		return err
	}
	why := ""
	switch {
	case seen.Stuck && seen.SpentElsewhere:
		why = "another transaction has spent its coins: it can be released once that one is deep"
	case seen.Stuck:
		why = "the chain lost the transaction and the daemon refuses it now"
	case seen.State == chain.Mined && seen.Confirmations >= uint64(c.Confirmations):
		if err := a.Store.Tx(ctx, func(q *db.Queries) error { return a.outgoing().Confirm(ctx, q, tx, seen.Height) }); err != nil {
			return err
		}
	}
	return alertStuck(ctx, a.Store.Queries, id, why)
}

// alertStuck alerts operators to the payments of a transaction. If why is empty, it
// closes these alerts.
func alertStuck(ctx context.Context, q *db.Queries, id int64, why string) error {
	payments, err := q.PaymentsOfTransaction(ctx, id)
	for _, p := range payments {
		err = errors.Join(err, sending.Alert(ctx, q, alert.TradePaymentStuck, paymentSubject(p.TradeID, p.ID), why))
	}
	return err
}

// unsentPayment returns the alert about a transaction that waits.
func unsentPayment(p db.TradePaymentState, why string) db.OpenAlertParams {
	return db.OpenAlertParams{Kind: alert.TradePaymentStuck, Subject: paymentSubject(p.TradeID, p.ID), Detail: p.Kind + ": " + why}
}

// paymentSubject returns the subject of alerts about a payment.
func paymentSubject(tradeID string, id int64) string { return fmt.Sprintf("%s/%d", tradeID, id) }

// reasonOf returns why a payment or its transaction failed.
func reasonOf(p db.TradePaymentState) *string {
	if p.TransactionID == nil {
		return p.Reason
	}
	return p.TransactionReason
}

// errNoWallet means that a wallet is not among the configured ones.
var errNoWallet = errors.New("a wallet of it is not configured here")

// value returns what a pointer points at; the zero value for nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// alertNoWallet alerts operators to an error that only they can end: a wallet of the
// trade is not configured.
func alertNoWallet(ctx context.Context, store *postgres.Store, tradeID string, err error) error {
	if !errors.Is(err, errNoWallet) {
		return err
	}
	return errors.Join(err, sending.Alert(ctx, store.Queries, alert.TradePaymentStuck, tradeID, "a wallet of the trade is not configured"))
}

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
		return sending.Audit(ctx, q, db.RecordAuditParams{At: *a.outgoing().Now(), Actor: in.Actor, Action: "trade.end", Subject: in.TradeID},
			map[string]any{"ended": ended})
	}
	done, err := q.HasEnded(ctx, db.HasEndedParams{TradeID: row.ID, Reason: reason})
	if err == nil && !done {
		err = refusals.New(refusals.TradePayment, "it waits for no deposit that is locked or has left the chain")
	}
	return err
}
