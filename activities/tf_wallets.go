package activities

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// errNoWallet says that a wallet is not among the configured ones.
var errNoWallet = errors.New("a wallet of it is not configured here")

// walletOf is the wallet of a trade; empty when another provider fills it.
func walletOf(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}

// alertNoWallet tells operators of an error that only they can end: a wallet of
// the trade is not configured.
func alertNoWallet(ctx context.Context, store *postgres.Store, tradeID string, err error) error {
	if !errors.Is(err, errNoWallet) {
		return err
	}
	return errors.Join(err, store.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.TradePaymentStuck, Subject: tradeID, Detail: "a wallet of the trade is not configured",
	}))
}
