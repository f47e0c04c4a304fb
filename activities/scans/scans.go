package scans

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// Report reports a scan to the metrics, and returns the scan's error. While the wallet or
// the daemon lags, the time of the last scan gets older.
func Report(
	ctx context.Context, looked func(string, int64, time.Time), walletID string, store watch.Store, found watch.Scanned, err error,
) error {
	if err == nil {
		looked(walletID, 0, found.Now)
		return nil
	}
	lag, lags := errors.AsType[*chain.LagError](err)
	if !lags {
		return err
	}
	last, stateErr := store.State(ctx)
	if stateErr == nil && last.ScannedAt != nil {
		looked(walletID, int64(lag.Blocks), *last.ScannedAt)
	}
	return err
}

// OlderFile returns a function that alerts operators to a wallet file that is older than
// the database.
func OlderFile(store *postgres.Store, walletID string) func(context.Context) error {
	return func(ctx context.Context) error {
		return store.OpenAlert(ctx, db.OpenAlertParams{
			Kind: alert.WalletOlder, Subject: walletID,
			Detail: "the watching wallet did not know addresses that were handed out: it makes them and reads the chain anew",
		})
	}
}
