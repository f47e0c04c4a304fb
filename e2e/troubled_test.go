package e2e

import (
	"testing"

	"github.com/durapay/durapay/deploy/dev/stack"
)

func troubledFixture() (*fixture, error) {
	prices, err := openExchange()
	if err != nil {
		return nil, err
	}
	daemon, err := startProxy()
	if err != nil {
		return nil, err
	}
	w, err := openFixture(settings(map[string]string{
		"MONEROD_RPC_URL": daemon.url, "PRICE_SOURCES": "kraken", "PRICE_URLS": "kraken=" + prices.url,
		"PRICE_REFRESH": "1s", "PRICE_MAX_AGE": "3s", "EMAIL_VERIFICATION": "required",
	}), func(s *stack.Stack) { daemon.forwardTo(s.Addr("monerod")) })
	if err == nil {
		w.daemon, w.prices = daemon, prices
	}
	return w, err
}

// repair starts what a test that failed has left dead, for the next one.
func (w *fixture) repair(t *testing.T) {
	t.Helper()
	if !t.Failed() {
		return
	}
	for _, part := range w.stack.Status(within(t)) {
		if part.Name != "miner" && !part.Ready {
			t.Logf("%s: %v", part.Name, w.stack.StartPart(within(t), part.Name))
		}
	}
}
