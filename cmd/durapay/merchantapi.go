package main

import (
	"context"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
	"github.com/durapay/durapay/workflows/dispatch"
)

// maxNew is the number of charges, or of trades, that wait for their workflows from which no
// more are created. Two cores start 20,000 workflows in about ten minutes.
const maxNew = 20_000

// merchantAPICmd serves the merchant API and the hosted pages.
type merchantAPICmd struct{}

// Run serves until the process receives a signal to stop.
func (c *merchantAPICmd) Run(ctx context.Context) error {
	useMemory()
	b, err := openBase(ctx, secret.MerchantAPI)
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
	ctx, stop := leaving(ctx, ready, leaveTime)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	deps.Counter = b.counter(ctx, group)
	handler, err := merchant.NewHandler(deps)
	if err != nil {
		return err
	}
	internal := telemetry.NewMux(b.metrics, ready, b.log)
	for _, routes := range merchant.AdminRoutes() {
		internal.Handle(routes, web.Internal(handler))
	}
	b.serveInternal(ctx, group, internal)
	runAll(ctx, group, b.prices, b.proxy, market, deps.Wakeups)
	group.Go(func() error { return serve(ctx, b.cfg.MerchantListen, handler) })
	group.Go(func() error { return serveOnion(ctx, b.cfg.MerchantOnionListen, handler) })
	return group.Wait()
}

func (b *base) merchantDeps() (merchant.Deps, *telemetry.Readiness, error) {
	index, err := openIndex(b.cfg.Keys, secret.Accounts)
	if err != nil {
		return merchant.Deps{}, nil, err
	}
	jwtSecret, err := readSessionKey(b.cfg.Keys)
	if err != nil {
		return merchant.Deps{}, nil, err
	}
	wallets, err := b.cfg.MerchantWallets()
	if err != nil {
		return merchant.Deps{}, nil, err
	}
	quotes, err := b.quotes()
	if err != nil {
		return merchant.Deps{}, nil, err
	}
	ready, err := b.readiness()
	if err != nil {
		return merchant.Deps{}, nil, err
	}
	return merchant.Deps{
		Charges: b.charges(config.OfMode(wallets, config.Sandbox)), SimulatedSandbox: b.cfg.SandboxChain == config.SandboxSimulated,
		Wakeups: outbox.NewQueue(outbox.Charges, b.store, dispatch.Dispatcher{Client: b.temporal}.Send, maxNew, b.log),
		Store:   b.store, Temporal: b.temporal, Box: b.box, Index: index, Prices: b.prices, Quotes: quotes,
		JWTSecret: []byte(jwtSecret), Clock: clock, Log: b.log, Ready: ready, ChargeTimeout: b.cfg.ChargeTimeout.Duration(),
		PublicURL: b.cfg.PublicURL, OnionURL: b.cfg.OnionURL, TrustedProxies: b.cfg.TrustedProxies,
		Desk: bool(b.cfg.Desk), SignUp: b.cfg.SignUp, Custody: b.cfg.Custody, Mails: b.cfg.SMTPHost != "", StepUp: bool(b.cfg.StepUp), Reporting: bool(b.cfg.ReportingDefault), PayoutHold: b.cfg.PayoutAddressHold,
		AdminPublic: b.cfg.AdminListeners == config.AdminPublic, VerifyEmail: b.cfg.VerifiesEmail(), FeeRate: b.cfg.FeeRate.Decimal,
		ConfirmGrace: b.cfg.ConfirmGrace(), TemporalUI: temporalUI(b.cfg.TemporalUIURL), TemporalNamespace: b.cfg.TemporalNamespace,
		OperatorName: b.cfg.OperatorName, OperatorContact: b.cfg.OperatorContact, Observed: b.metrics.HTTPRequest,
	}, ready, nil
}

// temporalUI returns the address at which browsers open the Temporal UI, without a trailing
// slash; empty if the setting is not an address.
func temporalUI(setting string) string {
	if !strings.HasPrefix(setting, "http://") && !strings.HasPrefix(setting, "https://") {
		return ""
	}
	return strings.TrimSuffix(setting, "/")
}
