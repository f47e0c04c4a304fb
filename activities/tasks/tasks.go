package tasks

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// Shift is how long one run of a long activity lasts, so that its workflow gets a fresh
// history from time to time.
const Shift = time.Hour

// Wallet names a wallet.
type Wallet struct {
	WalletID string
}

// Trade names a trade.
type Trade struct {
	TradeID string
}

// Heartbeat sends Temporal a heartbeat once a second, until the returned function is called.
// So another worker takes over a killed worker's step within seconds instead of at the
// end of its deadline. Outside of an activity, as in tests that call one directly, it
// does nothing.
func Heartbeat(ctx context.Context) (stop func()) {
	if !activity.IsActivity(ctx) {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(done) }
}
