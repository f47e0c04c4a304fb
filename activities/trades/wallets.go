package trades

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// ErrNoWallet means that a wallet is not among the configured ones.
var ErrNoWallet = errors.New("a wallet of it is not configured here")

// WalletOf returns the wallet of a trade; empty if another provider fills it.
func WalletOf(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}

// AlertNoWallet alerts operators to an error that only they can end: a wallet of the
// trade is not configured.
func AlertNoWallet(ctx context.Context, store *postgres.Store, tradeID string, err error) error {
	if !errors.Is(err, ErrNoWallet) {
		return err
	}
	return errors.Join(err, store.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.TradePaymentStuck, Subject: tradeID, Detail: "a wallet of the trade is not configured",
	}))
}
