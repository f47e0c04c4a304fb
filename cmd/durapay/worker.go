package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/worker"
)

// workerCmd runs workflows and activities.
type workerCmd struct{}

// Run works until the process is told to stop.
func (c *workerCmd) Run(ctx context.Context) error {
	cfg, err := config.Load()
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: cfg.LogLevel}))
	b, err := openBase(ctx, cfg, logger)
	if err != nil {
		return err
	}
	defer b.close()
	deps, prices, err := b.workerDeps(ctx)
	if err != nil {
		return err
	}
	go prices.Run(ctx)
	mux := http.NewServeMux()
	mux.Handle("/codec/", http.StripPrefix("/codec", secret.CodecHandler(b.codec, cfg.TemporalUIOrigin)))
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	go func() { _ = http.ListenAndServe(cfg.InternalListen, mux) }()
	return worker.Run(ctx, deps)
}

func (b *base) workerDeps(ctx context.Context) (worker.Deps, *rates.Service, error) {
	cfg := b.cfg
	prices, err := rates.New(cfg.Prices, rates.Client(cfg.Prices, cfg.Outbound), clock, b.log)
	if err != nil {
		return worker.Deps{}, nil, err
	}
	wallets, err := b.wallets(ctx)
	if err != nil {
		return worker.Deps{}, nil, err
	}
	daemon, err := b.daemon()
	if err != nil {
		return worker.Deps{}, nil, err
	}
	signals := worker.Signals{Temporal: b.temporal}
	deps := worker.Deps{
		Temporal: b.temporal, BuildID: cfg.WorkerBuildID, Log: b.log,
		Charges: &activities.Charges{
			Store: b.store, Prices: prices, PublicURL: cfg.PublicURL,
			Rules:                 charge.Rules{ConfirmationWindow: cfg.ConfirmationWindow.Duration()},
			ChargeTimeout:         cfg.ChargeTimeout.Duration(),
			ButtonChargeTimeout:   cfg.ButtonChargeTimeout.Duration(),
			ConfirmationsRequired: cfg.ConfirmationsRequired, TolerancePercent: cfg.Tolerance.Decimal,
		},
		Webhooks: &activities.Webhooks{
			Store: b.store, Secret: b.box, Clock: clock,
			Sender: outbound.NewSender(outbound.SenderConfig{
				Policy: outbound.Policy{AllowedNets: cfg.WebhookAllowedNets}, SOCKS5Proxy: cfg.SOCKS5Proxy,
			}),
			Finished: func(webhook.Status, *time.Duration) {},
		},
		Payouts: &activities.Payouts{
			Store: b.store, Secret: b.box, Daemon: daemon, Wallets: wallets, Clock: clock,
			Finished: func(payout.Status) {},
		},
		Watcher: &activities.Watcher{
			Store: b.store, Daemon: daemon, Wallets: wallets, Interval: cfg.WatchInterval, Clock: clock, Log: b.log,
			SignalCharge: signals.Charge, SignalPayout: signals.Payout, Looked: func(string, int64, time.Time) {},
		},
		Pool: &activities.Pool{
			Store: b.store, Wallets: wallets, Target: cfg.AddressPoolTarget, Log: b.log, Level: func(string, int64) {},
		},
		Retention: &activities.Retention{
			Store: b.store, BuyerData: days(cfg.PrunePhase1Days), Records: days(cfg.PrunePhase2Days),
		},
	}
	for id := range wallets {
		deps.WalletIDs = append(deps.WalletIDs, id)
	}
	return deps, prices, nil
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }
