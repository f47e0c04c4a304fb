package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"google.golang.org/grpc"

	"github.com/durapay/durapay/activities/scans"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/push"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

// base is what the API and the worker both need.
type base struct {
	cfg      config.Config
	log      *slog.Logger
	store    *postgres.Store
	box      *secret.Box
	codec    *secret.PayloadCodec
	temporal client.Client
	prices   *rates.Service
	metrics  *telemetry.Metrics
	// proxy is asked now and then whether it is there.
	proxy *outbound.Watch
	// tracing ends the export of traces.
	tracing func(context.Context) error
}

// openBase opens what the services have in common, for one of them.
func openBase(ctx context.Context, service string) (*base, error) {
	cfg, err := config.Load()
	if err != nil {
		return nil, err
	}
	b := &base{cfg: cfg, log: telemetry.NewLogger(os.Stderr, cfg.LogLevel), metrics: telemetry.NewMetrics()}
	if b.tracing, err = telemetry.SetupTracing(ctx, cfg.Telemetry, "durapay-"+service); err != nil {
		return nil, err
	}
	b.proxy = b.watchProxy()
	if b.prices, err = rates.New(cfg.Prices, rates.Client(cfg.Prices, cfg.Outbound), clock, b.log); err != nil {
		return nil, err
	}
	if b.box, err = openBox(cfg.Keys, service); err != nil {
		return nil, err
	}
	if b.codec, err = openCodec(cfg.Keys); err != nil {
		return nil, err
	}
	if b.store, err = postgres.Open(ctx, cfg.DatabaseURL, cfg.DatabaseConns); err != nil {
		return nil, err
	}
	if b.temporal, err = temporalClient(cfg, b.codec, b.log); err != nil {
		b.store.Close()
		return nil, err
	}
	return b, nil
}

// temporalClient connects to Temporal when it is needed. So a start does not
// depend on Temporal, and readiness tells whether it is there.
func temporalClient(cfg config.Config, codec converter.PayloadCodec, logger *slog.Logger) (client.Client, error) {
	traces, err := temporalTraces(cfg)
	if err != nil {
		return nil, err
	}
	encrypted, err := cfg.TLS()
	if err != nil {
		return nil, err
	}
	c, err := client.NewLazyClient(client.Options{
		ConnectionOptions: client.ConnectionOptions{
			TLS: encrypted,
			// Else the name server is asked for more than addresses, and one that does
			// not reach the internet answers that after the caller has given up.
			DialOptions: []grpc.DialOption{grpc.WithDisableServiceConfig()},
		},
		HostPort: cfg.TemporalAddress, Namespace: cfg.TemporalNamespace, Logger: log.NewStructuredLogger(logger), Interceptors: traces,
		DataConverter: converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec),
	})
	if err != nil {
		return nil, fmt.Errorf("temporal: %w", err)
	}
	return c, nil
}

// temporalTraces follows calls into workflows and activities when tracing is on.
func temporalTraces(cfg config.Config) ([]interceptor.ClientInterceptor, error) {
	if cfg.OTLPEndpoint == "" {
		return nil, nil
	}
	traces, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{})
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	return []interceptor.ClientInterceptor{traces}, nil
}

func (b *base) close() {
	b.temporal.Close()
	b.store.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := b.tracing(ctx); err != nil {
		b.log.WarnContext(ctx, "traces were not all exported", "error", err)
	}
}

// rhythm says when a wallet is scanned whose daemon has this publisher.
func (b *base) rhythm(walletID string, publisher push.Publisher) *scans.Rhythm {
	return &scans.Rhythm{
		Interval: b.cfg.WatchInterval, Publisher: publisher, Log: b.log.With("wallet", walletID),
		Heard: func(heard bool) { b.metrics.PublisherHeard(walletID, heard) },
	}
}

// daemon is the client of monerod.
func (b *base) daemon() (*monero.Daemon, error) {
	login, err := config.ReadSecret(b.cfg.MonerodLoginFile)
	if err != nil {
		return nil, err
	}
	return monero.NewDaemon(monero.Endpoint{URL: b.cfg.MonerodURL, Login: login}, monero.Options{}), nil
}

// wallets opens the configured wallets and makes them known to the database.
func (b *base) wallets(ctx context.Context) (map[string]monero.WalletPair, error) {
	entries, err := config.LoadWallets(b.cfg.WalletsFile)
	if err != nil {
		return nil, err
	}
	pairs := make(map[string]monero.WalletPair, len(entries))
	for _, e := range entries {
		if pairs[e.ID], err = b.openPair(e); err != nil {
			return nil, fmt.Errorf("wallet %s: %w", e.ID, err)
		}
		if err := b.register(ctx, e); err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

// register makes a wallet known. It refuses a wallet whose address is not the
// one that is known under its ID: the addresses in the database would not be
// ours.
func (b *base) register(ctx context.Context, e config.WalletEntry) error {
	if err := b.store.UpsertWallet(ctx, db.UpsertWalletParams{ID: e.ID, Mode: string(e.Mode), PrimaryAddress: e.PrimaryAddress}); err != nil {
		return fmt.Errorf("wallet %s: %w", e.ID, err)
	}
	known, err := b.store.GetWallet(ctx, e.ID)
	if err != nil {
		return fmt.Errorf("wallet %s: %w", e.ID, err)
	}
	if known.PrimaryAddress != e.PrimaryAddress || known.Mode != string(e.Mode) {
		return fmt.Errorf("wallet %s is configured with another address or mode than before", e.ID)
	}
	return nil
}

func (b *base) openPair(e config.WalletEntry) (monero.WalletPair, error) {
	login, err := config.ReadSecret(e.LoginFile)
	if err != nil {
		return monero.WalletPair{}, err
	}
	spendLogin, err := config.ReadSecret(cmp.Or(e.SpendLoginFile, e.LoginFile))
	if err != nil {
		return monero.WalletPair{}, err
	}
	viewKey, err := config.ReadSecret(e.ViewKeyFile)
	if err != nil {
		return monero.WalletPair{}, err
	}
	deriver, err := monero.NewDeriver(e.PrimaryAddress, viewKey)
	if err != nil {
		return monero.WalletPair{}, err
	}
	observed := monero.Options{Observe: func(method string, err error) { b.metrics.WalletCall(e.ID, method, err) }}
	return monero.WalletPair{
		Watch:   monero.NewWallet(monero.Endpoint{URL: e.WatchURL, Login: login}, observed),
		Spend:   monero.NewWallet(monero.Endpoint{URL: e.SpendURL, Login: spendLogin}, observed),
		Deriver: deriver,
	}, nil
}

// clock is the time that activities and the API go by.
func clock() time.Time { return time.Now().UTC() }
