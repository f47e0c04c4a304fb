package trades

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
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

// RegisterPayments adds the checks of payments and the operators' requests.
func RegisterPayments(w worker.ActivityRegistry, h *Payments) {
	w.RegisterActivity(h.CheckTradePayments)
	w.RegisterActivity(h.RetryTradePayment)
	w.RegisterActivity(h.EndTrade)
}

// RegisterSending adds the activities that build and relay, for a queue that runs one at
// a time.
func RegisterSending(w worker.ActivityRegistry, h *Payments) {
	w.RegisterActivity(h.SendTradePayment)
	w.RegisterActivity(h.Consolidate)
}

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

// walletOf returns the wallet of a trade; empty if another provider fills it.
func walletOf(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}

// alertNoWallet alerts operators to an error that only they can end: a wallet of the
// trade is not configured.
func alertNoWallet(ctx context.Context, store *postgres.Store, tradeID string, err error) error {
	if !errors.Is(err, errNoWallet) {
		return err
	}
	return errors.Join(err, store.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.TradePaymentStuck, Subject: tradeID, Detail: "a wallet of the trade is not configured",
	}))
}
