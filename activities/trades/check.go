package trades

import (
	"context"
	"errors"

	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/outgoing"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// CheckTradePayments checks the sent transactions of a trade on their chains. It relays a
// transaction again that a reorganization dropped, and records those that are deep
// enough. A second run checks a second time.
func (a *Payments) CheckTradePayments(ctx context.Context, in tasks.Trade) error {
	stop := tasks.Heartbeat(ctx)
	defer stop()
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
	if err != nil || outgoing.State(tx.State) != outgoing.Sent {
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
	return a.alertStuck(ctx, id, why)
}

// alertStuck alerts operators to the payments of a transaction. If why is empty, it
// closes these alerts.
func (a *Payments) alertStuck(ctx context.Context, id int64, why string) error {
	payments, err := a.Store.PaymentsOfTransaction(ctx, id)
	for _, p := range payments {
		subject := paymentSubject(p.TradeID, p.ID)
		if why == "" {
			err = errors.Join(err, a.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradePaymentStuck, Subject: subject}))
		} else {
			err = errors.Join(err, a.Store.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.TradePaymentStuck, Subject: subject, Detail: why}))
		}
	}
	return err
}
