package trades

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

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
