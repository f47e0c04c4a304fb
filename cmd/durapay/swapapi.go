package main

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/outbox"
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
	var wallets []string
	for _, coin := range quoter.Coins() {
		wallets = append(wallets, coin.WalletID)
	}
	ready := b.needs(prices.Ready, wallets)
	ctx, stop := leaving(ctx, ready, leaveTime)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	deps := swap.Deps{
		Store: b.store, Temporal: b.temporal, Box: b.box, Index: index, Quoter: quoter, Explorers: explorers, Clock: clock, Log: b.log, Ready: ready,
		PublicURL: b.cfg.SwapPublicURL, OnionURL: b.cfg.SwapOnionURL, Observed: b.metrics.HTTPRequest, TrustedProxies: b.cfg.TrustedProxies,
		KeysPerDay: b.cfg.AffiliateKeys, Window: b.cfg.Window(), Sanctioned: sanctions.Register{Store: b.store}.Sanctioned,
		Wakeups: outbox.NewQueue(outbox.Trades, b.store, dispatch.Dispatcher{Client: b.temporal}.Send, maxNew, b.log),
	}
	deps.Counter = b.counter(ctx, group)
	handler, err := swap.NewHandler(deps)
	if err != nil {
		return err
	}
	b.serveInternal(ctx, group, telemetry.NewMux(b.metrics, ready, b.log))
	runAll(ctx, group, deps.Wakeups, prices, b.proxy)
	group.Go(func() error { return serve(ctx, b.cfg.SwapListen, handler) })
	group.Go(func() error { return serveOnion(ctx, b.cfg.SwapOnionListen, handler) })
	return group.Wait()
}
