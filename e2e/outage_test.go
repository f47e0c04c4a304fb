package e2e

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/internal/money"
)

// TestManyBlocksBetweenTwoScans lets the chain grow by more blocks than the watcher looks
// back while the worker does not look.
func TestManyBlocksBetweenTwoScans(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	c := s.charge(t, "0.2")
	require.NoError(t, w.Stack.Pause("worker"))
	s.pay(t, c)
	s.mine(t, 30)
	require.NoError(t, w.Stack.Resume("worker"))
	done := s.await(t, "charge.confirmed", c.ID)
	require.GreaterOrEqual(t, done.Confirmations, 25)
}

// TestKillOfWalletThatMakesAddresses kills the wallet while it makes addresses:
// it loses those that it has not stored, and would hand the same out again.
func TestKillOfWalletThatMakesAddresses(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	const perPayment, rounds = 15, 3
	seen := map[string]bool{}
	var all [][]clients.Charge
	for range rounds {
		charges := make([]clients.Charge, perPayment)
		for i := range charges {
			charges[i] = s.charge(t, "0.01") // the pool is refilled meanwhile
			require.False(t, seen[charges[i].Subaddress], "an address was given out twice")
			seen[charges[i].Subaddress] = true
		}
		all = append(all, charges)
		require.NoError(t, w.Stack.Kill("wallet-spend"))
		require.NoError(t, w.Stack.StartPart(within(t), "wallet-spend"))
	}
	for _, charges := range all {
		s.pay(t, charges...)
	}
	for _, charges := range all {
		for _, c := range charges {
			s.mineUntil(t, "charge.confirmed", c.ID)
		}
	}
}

// TestKillOfAllParts kills every part of the service at once.
func TestKillOfAllParts(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	s.payable(t, "0.1")
	waiting, paid := s.charge(t, "0.3"), s.charge(t, "0.4")
	s.pay(t, paid)
	held := w.daemon.holdBefore(relayPath)
	sweep := s.sweepUntil(t, held.reached)
	for _, part := range []string{
		"temporal", "postgres", "worker", "merchant-api", "monerod", "wallet-spend",
	} {
		require.NoError(t, w.Stack.Kill(part))
	}
	close(held.release)
	require.NoError(t, w.Stack.Up(within(t)))
	s.pay(t, waiting)
	s.mineUntil(t, "charge.confirmed", waiting.ID)
	s.await(t, "charge.confirmed", paid.ID)
	sweep.outcome(t)
	s.requireOnePayout(t)
}

// TestNoPrice takes every source of the price away: charges in XMR need none and still work.
func TestNoPrice(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	prices, err := openExchange()
	require.NoError(t, err)
	w.with(t, map[string]string{
		"PRICE_SOURCES": "kraken", "PRICE_URLS": "kraken=" + prices.url, "PRICE_REFRESH": "1s", "PRICE_MAX_AGE": "3s",
	})
	s := openShop(t, w)
	fiat := clients.NewCharge{Amount: money.MustDecimal("15"), Currency: "EUR"}
	eventually(t, "there is a price", func(ctx context.Context) error {
		_, err := s.CreateCharge(ctx, fiat)
		return err
	})
	prices.down.Store(true)
	var refused *clients.StatusError
	eventually(t, "the last price is too old", func(ctx context.Context) error {
		_, err := s.CreateCharge(ctx, fiat)
		if clients.Status(err) == 0 {
			return errors.New("the charge was made")
		}
		require.ErrorAs(t, err, &refused)
		return nil
	})
	require.Equal(t, 500, refused.Status)
	require.Positive(t, refused.RetryAfter)
	s.charge(t, "0.1")
	prices.down.Store(false)
	eventually(t, "the price is back", func(ctx context.Context) error {
		_, err := s.CreateCharge(ctx, fiat)
		return err
	})
	require.NoError(t, w.Stack.WaitReady(within(t), "merchant-api"))
}
