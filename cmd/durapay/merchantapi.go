package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-chi/httprate"
	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

// merchantAPICmd serves the merchant API and the hosted pages.
type merchantAPICmd struct{}

// memoryLimit is when the collector begins to work harder, in bytes: hashing
// passwords leaves megabytes behind each time. GOMEMLIMIT replaces it.
const memoryLimit = 200 << 20

// Run serves until the process is told to stop.
func (c *merchantAPICmd) Run(ctx context.Context) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	b, err := openBase(ctx, "durapay-merchant-api")
	if err != nil {
		return err
	}
	defer b.close()
	deps, ready, err := b.merchantDeps()
	if err != nil {
		return err
	}
	market, err := b.quotePrices(deps.Quotes)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	if b.cfg.RateLimits {
		deps.Counter = func(bucket string) httprate.LimitCounter {
			counter := ratelimit.New(b.store, bucket, b.log)
			group.Go(func() error { counter.Run(ctx); return nil })
			return counter
		}
	}
	handler, err := merchant.NewHandler(deps)
	if err != nil {
		return err
	}
	group.Go(func() error {
		return telemetry.Serve(ctx, b.cfg.InternalListen, telemetry.NewMux(b.metrics, ready, b.log))
	})
	group.Go(func() error { b.prices.Run(ctx); return nil })
	group.Go(func() error { market.Run(ctx); return nil })
	group.Go(func() error { return serve(ctx, b.cfg.MerchantListen, handler) })
	return group.Wait()
}

func (b *base) merchantDeps() (merchant.Deps, *telemetry.Readiness, error) {
	index, err := secret.OpenBlindIndex(b.cfg.BlindIndexFile)
	if err != nil {
		return merchant.Deps{}, nil, err
	}
	jwtSecret, err := config.ReadSecret(b.cfg.JWTSecretFile)
	if err != nil {
		return merchant.Deps{}, nil, err
	}
	wallets, err := config.LoadWallets(b.cfg.WalletsFile)
	if err != nil {
		return merchant.Deps{}, nil, err
	}
	ids := make([]string, 0, len(wallets))
	for _, w := range wallets {
		ids = append(ids, w.ID)
	}
	quotes, err := b.quotes()
	if err != nil {
		return merchant.Deps{}, nil, err
	}
	ready := b.readiness(ids)
	return merchant.Deps{
		Store: b.store, Temporal: b.temporal, Box: b.box, Index: index, Prices: b.prices, Quotes: quotes,
		JWTSecret: []byte(jwtSecret), Clock: clock, Log: b.log, Ready: ready,
		PublicURL: b.cfg.PublicURL, OnionURL: b.cfg.OnionURL, TrustedProxies: b.cfg.TrustedProxies,
		VerifyEmail: b.cfg.VerifiesEmail(), FeeRate: b.cfg.FeeRate.Decimal,
		Observed: b.metrics.HTTPRequest,
	}, ready, nil
}

// Limits of a connection, in time: a client that sends or reads slowly does
// not hold one for ever. The longest answer is that of a sweep.
const (
	headerTime = 10 * time.Second
	readTime   = 30 * time.Second
	answerTime = 90 * time.Second
	idleTime   = 2 * time.Minute
	closeTime  = 15 * time.Second
)

// serve answers on the public listener until ctx ends, then lets requests
// finish.
func serve(ctx context.Context, listen string, handler http.Handler) error {
	server := &http.Server{
		Addr: listen, Handler: handler, ReadHeaderTimeout: headerTime, ReadTimeout: readTime,
		WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: 32 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return fmt.Errorf("listener %s: %w", listen, err)
	case <-ctx.Done():
	}
	graceful, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	err := server.Shutdown(graceful)
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
