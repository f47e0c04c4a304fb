package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-chi/httprate"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
	"github.com/durapay/durapay/workflows/dispatch"
)

// swapAPICmd serves the swap exchange's API.
type swapAPICmd struct{}

// Run serves until the process receives a signal to stop.
func (c *swapAPICmd) Run(ctx context.Context) error {
	useMemory()
	b, err := openBase(ctx, secret.SwapAPI)
	if err != nil {
		return err
	}
	defer b.close()
	quoter, prices, _, err := b.quoter()
	if err != nil {
		return err
	}
	if quoter == nil {
		return errors.New("EXCHANGE_WALLETS_FILE names no wallets: there is no exchange to serve")
	}
	index, err := openIndex(b.cfg.Keys, secret.Trades)
	if err != nil {
		return err
	}
	explorers, err := exchange.ReadExplorers(b.cfg.ExplorersFile)
	if err != nil {
		return err
	}
	ready := b.exchangeReadiness(quoter, prices)
	ctx, stop := leaving(ctx, ready, leaveTime)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	deps := swap.Deps{
		Store: b.store, Temporal: b.temporal, Box: b.box, Index: index, Quoter: quoter, Explorers: explorers, Clock: clock, Log: b.log, Ready: ready,
		PublicURL: b.cfg.SwapPublicURL, OnionURL: b.cfg.SwapOnionURL, Observed: b.metrics.HTTPRequest, TrustedProxies: b.cfg.TrustedProxies,
		KeysPerDay: b.cfg.AffiliateKeys, Window: b.cfg.Window(), Sanctioned: sanctions.Register{Store: b.store}.Sanctioned,
		Wakeups: outbox.NewQueue(outbox.Trades, b.store, dispatch.Dispatcher{Client: b.temporal}.Send, maxNew, b.log),
	}
	if b.cfg.RateLimits {
		deps.Counter = func(bucket string) httprate.LimitCounter {
			counter := ratelimit.New(b.store, bucket, b.log)
			group.Go(func() error { counter.Run(ctx); return nil })
			return counter
		}
	}
	handler, err := swap.NewHandler(deps)
	if err != nil {
		return err
	}
	group.Go(func() error {
		return telemetry.Serve(ctx, b.cfg.InternalListen, telemetry.ForHosts(b.cfg.InternalHosts, telemetry.NewMux(b.metrics, ready, b.log)))
	})
	group.Go(func() error { deps.Wakeups.Run(ctx); return nil })
	group.Go(func() error { prices.Run(ctx); return nil })
	group.Go(func() error { b.proxy.Run(ctx); return nil })
	group.Go(func() error { return serve(ctx, b.cfg.SwapListen, handler) })
	group.Go(func() error { return serveOnion(ctx, b.cfg.SwapOnionListen, handler) })
	return group.Wait()
}

// exchangeReadiness checks the parts that quotes and trades need. It judges wallets by the
// rows that their watchers have written.
func (b *base) exchangeReadiness(quoter *exchange.Quoter, prices *rates.Coins) *telemetry.Readiness {
	return telemetry.NewReadiness(map[string]telemetry.Check{
		"postgres": b.store.Ping,
		"temporal": func(ctx context.Context) error {
			_, err := b.temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
			return err
		},
		"price": prices.Ready,
		"safe_mode": func(ctx context.Context) error {
			var ids []string
			for _, coin := range quoter.Coins() {
				ids = append(ids, coin.WalletID)
			}
			return b.noneInSafeMode(ctx, ids)
		},
		"wallet": func(ctx context.Context) error {
			for _, coin := range quoter.Coins() {
				if err := b.exchangeWalletUsable(ctx, coin.WalletID); err != nil {
					return err
				}
			}
			return nil
		},
	}, clock, b.log).Mention("proxy", b.proxy.Up)
}

func (b *base) exchangeWalletUsable(ctx context.Context, id string) error {
	wallet, err := b.store.GetExchangeWallet(ctx, id)
	if err != nil {
		return err
	}
	if !b.isWatched(wallet.BalanceCurrentAt) {
		return fmt.Errorf("wallet %s is not being watched", id)
	}
	free, err := b.store.CountFreeExchangeAddresses(ctx, id)
	if err == nil && free == 0 {
		err = errors.New("wallet " + id + " has no unused address ready")
	}
	return err
}
