package main

import (
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
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/nodes"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
	"github.com/durapay/durapay/internal/watch"
)

// base holds the parts that the API and the worker share.
type base struct {
	cfg      config.Config
	log      *slog.Logger
	store    *postgres.Store
	box      *secret.Box
	codec    *secret.PayloadCodec
	temporal client.Client
	prices   *rates.Service
	metrics  *telemetry.Metrics
	// nodes are the daemons that a worker asks for operators.
	nodes []nodes.Node
	// scanned are the wallets whose chains a worker scans.
	scanned []scannedWallet
	// proxy checks from time to time whether the proxy is available.
	proxy *outbound.Watch
	// tracing ends the export of traces.
	tracing func(context.Context) error
}

// openBase opens the parts that the services share, for one of them.
func openBase(ctx context.Context, service string) (*base, error) {
	return openWith(ctx, service, limitsOf(service))
}

// openWith is openBase with database limits other than the service's.
func openWith(ctx context.Context, service string, limits postgres.Limits) (*base, error) {
	cfg, err := config.Load()
	if err != nil {
		return nil, err
	}
	b := &base{cfg: cfg, log: newLogger(cfg.Telemetry), metrics: telemetry.NewMetrics()}
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
	if b.store, err = postgres.Open(ctx, cfg.DatabaseURL, cfg.DatabaseConns, limits); err != nil {
		return nil, err
	}
	if b.temporal, err = temporalClient(cfg, b.codec, b.metrics.Temporal(), b.log); err != nil {
		b.store.Close()
		return nil, err
	}
	return b, nil
}

// newLogger returns the logger of a service. It writes to the standard error.
func newLogger(cfg config.Telemetry) *slog.Logger {
	if cfg.LogFormat == config.LogText {
		return telemetry.NewTextLogger(os.Stderr, cfg.LogLevel)
	}
	return telemetry.NewLogger(os.Stderr, cfg.LogLevel)
}

// limitsOf returns the database limits for a service, or for a command.
func limitsOf(service string) postgres.Limits {
	switch service {
	case secret.MerchantAPI, secret.SwapAPI:
		return postgres.Serving
	case secret.Worker:
		return postgres.Working
	default:
		return postgres.ByHand
	}
}

// temporalClient returns a client that connects to Temporal at its first use. So the start of
// a service does not depend on Temporal, and readiness reports whether Temporal is available.
func temporalClient(cfg config.Config, codec converter.PayloadCodec, metrics client.MetricsHandler, logger *slog.Logger) (client.Client, error) {
	traces, err := temporalTraces(cfg)
	if err != nil {
		return nil, err
	}
	encrypted, err := cfg.TLS()
	if err != nil {
		return nil, err
	}
	encrypts := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
	c, err := client.NewLazyClient(client.Options{
		ConnectionOptions: client.ConnectionOptions{
			TLS: encrypted,
			DialOptions: []grpc.DialOption{
				// Otherwise the client also queries the name server for a service
				// configuration. A name server without internet access answers that query only
				// after the caller's timeout.
				grpc.WithDisableServiceConfig(),
				grpc.WithConnectParams(reconnecting()),
			},
		},
		HostPort: cfg.TemporalAddress, Namespace: cfg.TemporalNamespace, Logger: log.NewStructuredLogger(logger), Interceptors: traces,
		MetricsHandler: metrics, DataConverter: encrypts,
		// Messages and stack traces of failures are encrypted like payloads.
		FailureConverter: temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: encrypts, EncodeCommonAttributes: true,
		}),
	})
	if err != nil {
		return nil, fmt.Errorf("temporal: %w", err)
	}
	return c, nil
}

// reconnecting returns the backoff for a lost connection to Temporal: at most one second
// between attempts, not the client's default of ten, so that waiting work continues soon after
// Temporal returns.
func reconnecting() grpc.ConnectParams {
	const giveUp = 20 * time.Second
	p := grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: giveUp}
	p.Backoff.BaseDelay, p.Backoff.MaxDelay = 200*time.Millisecond, time.Second
	return p
}

// temporalTraces traces calls into workflows and activities if tracing is on.
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

// rhythm returns when to scan a chain whose daemon has this publisher.
func (b *base) rhythm(chainID string, publisher watch.Publisher) *incoming.Rhythm {
	return &incoming.Rhythm{
		Interval: b.cfg.WatchInterval, Publisher: publisher, Log: b.log.With("chain", chainID),
		Reliable: func(reliable bool) { b.metrics.PublisherReliable(chainID, reliable) },
	}
}

// clock is the clock of activities and of the API.
func clock() time.Time { return time.Now().UTC() }
