package main

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/api/opdesk"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/worker"
	"github.com/durapay/durapay/workflows/dispatch"
)

// workerCmd runs workflows and activities.
type workerCmd struct{}

// Run works until the process receives a signal to stop.
func (c *workerCmd) Run(ctx context.Context) error {
	b, err := openBase(ctx, secret.Worker)
	if err != nil {
		return err
	}
	defer b.close()
	sender := dispatch.Dispatcher{Client: b.temporal, Eager: b.cfg.WorkerBuildID == ""}
	wakeups := outbox.NewLoop(b.store, sender.Send, b.log)
	deps, err := b.workerDeps(ctx, wakeups.Nudge)
	if err != nil {
		return err
	}
	var coinPrices *rates.Coins
	coinPrices, err = b.addExchange(ctx, &deps)
	if err != nil {
		return err
	}
	if err := b.scanChains(&deps); err != nil {
		return err
	}
	if err := b.forgetWallets(ctx, deps); err != nil {
		return err
	}
	b.measure(deps.Exchange != nil)
	readiness, err := b.readiness()
	if err != nil {
		return err
	}
	internal := telemetry.NewMux(b.metrics, readiness, b.log)
	if err := b.serveTemporalUI(internal); err != nil {
		return err
	}

	group, ctx := errgroup.WithContext(ctx)
	b.serveInternal(ctx, group, internal)
	runAll(ctx, group, b.proxy, b.prices, b.observer())
	if coinPrices != nil {
		runAll(ctx, group, coinPrices)
	}
	// The worker runs the first tasks of the workflows that the outbox starts, so it ends after
	// the outbox.
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	group.Go(func() error { defer stop(); wakeups.Run(ctx); return nil })
	group.Go(func() error { return worker.Run(working, deps) })
	return group.Wait()
}

// serveTemporalUI adds Temporal's web UI and the codec to the internal listener.
func (b *base) serveTemporalUI(internal *http.ServeMux) error {
	token, err := config.ReadSecret(b.cfg.CodecTokenFile)
	if err != nil {
		return err
	}
	ui, err := b.cfg.UIUpstream()
	if err != nil {
		return err
	}
	opdesk.ServeTemporal(internal, b.codec, ui, token, time.Now)
	return nil
}

func (b *base) workerDeps(ctx context.Context, nudge func()) (worker.Deps, error) {
	cfg := b.cfg
	wallets, err := b.wallets(ctx)
	if err != nil {
		return worker.Deps{}, err
	}
	b.askMerchantNodes(wallets)
	live, err := b.liveChain()
	if err != nil {
		return worker.Deps{}, err
	}
	sender, err := b.mails()
	if err != nil {
		return worker.Deps{}, err
	}
	keeper, served := b.keeper(b.merchantWitnesses(wallets)), map[string]incoming.Wallet{}
	unserved := &worker.Unserved{Temporal: b.temporal, BuildID: cfg.WorkerBuildID, Clock: time.Now}
	deps := worker.Deps{Temporal: b.temporal, Unserved: unserved, BuildID: cfg.WorkerBuildID, PruneEvery: cfg.PruneEvery(), Log: b.log}
	deps.Rooms = activities.Rooms{
		Charges:    &incoming.Charges{Charges: b.charges(wallets.sandbox())},
		Deliveries: b.webhooks(),
		Mails:      sender,
		// Only live money has payouts and refunds.
		Payouts: &payouts.Handler{
			Store: b.store, Secret: b.box, Daemon: live.daemon, Wallets: wallets.ofModes(config.Live), Clock: clock,
			FeeRate: cfg.FeeRate.Decimal, Witness: keeper,
			Finished: func(outcome payout.Status) { b.metrics.Payouts.WithLabelValues(string(outcome)).Inc() },
		},
		Watch: &incoming.Watch{
			Store: b.store, Secret: b.box, Chains: map[string]incoming.Chain{}, Rhythms: map[string]*incoming.Rhythm{}, Clock: clock, Nudge: nudge,
			Scanned: b.metrics.WatcherScanned,
		},
		Pool:    &incoming.Pool{Store: b.store, Wallets: served, Log: b.log, Level: b.metrics.AddressPool, Witness: keeper},
		Overdue: b.wakeup(live.daemon, unserved),
		Retention: &upkeep.Retention{
			Store: b.store, BuyerData: cfg.PrunePhase1Days.Duration(), Records: cfg.PrunePhase2Days.Duration(),
			UnusedKeys: cfg.AffiliateKeyUnused.Duration(), VerifyEmail: cfg.VerifiesEmail(),
		},
	}
	deps.Pool.Own = &incoming.Own{
		Store: b.store, Secret: b.box, Log: b.log, Witness: keeper,
		Mark: func(walletID string) witness.Place { return witness.Temporal{Client: b.temporal, WalletID: walletID} },
	}
	if source, configured := sanctions.NewSource(cfg.Sanctions, cfg.Outbound); configured {
		deps.Sanctions = &upkeep.SanctionsList{
			Register: sanctions.Register{Store: b.store}, Read: source.Read, MaxAge: cfg.SanctionsMaxAge, Log: b.log, Clock: clock,
		}
	}
	orders, quotes, err := b.swapOrders()
	if err != nil {
		return worker.Deps{}, err
	}
	deps.Swaps = &payouts.Swaps{Store: b.store, Orders: orders, Clock: clock}
	deps.Payouts.Swaps, deps.Payouts.Quotes, deps.Payouts.Sanctioned = orders, quotes, orders.Sanctioned
	deps.Watch.Rhythms[charge.SimulatedWallet] = b.rhythm(charge.SimulatedWallet, watch.Publisher{})
	for id, w := range wallets {
		deps.WalletIDs = append(deps.WalletIDs, id)
		served[id] = incoming.Wallet{Maker: incoming.MoneroMaker{Deriver: w.Deriver}, Ready: cfg.AddressPoolTarget}
		b.scanned = append(b.scanned, scannedWallet{id: id, chainID: w.chainID, publisher: w.publisher, daemon: w.Daemon, view: w.Deriver})
	}
	return deps, nil
}

// wakeup returns the activities that look for stuck rows, and for network forks that will stop
// everything.
func (b *base) wakeup(daemon *monero.Daemon, unserved *worker.Unserved) *upkeep.Overdue {
	return &upkeep.Overdue{
		Store: b.store, Grace: b.cfg.ConfirmGrace(), Clock: clock,
		Wake:   worker.Reconciler{Temporal: b.temporal, Unserved: unserved}.Wake,
		Daemon: daemon, Forks: coin.MoneroForks(), ForkDays: b.metrics.ForkDays,
	}
}

// charges returns the settings of charges. Sandbox charges use addresses
// of the given wallets, or are simulated.
func (b *base) charges(sandbox []string) *chargestore.Charges {
	return &chargestore.Charges{
		Store: b.store, Prices: b.prices, PublicURL: b.cfg.PublicURL,
		Rules:                 charge.Rules{ConfirmationWindow: b.cfg.ConfirmationWindow.Duration()},
		ChargeTimeout:         b.cfg.ChargeTimeout.Duration(),
		ButtonChargeTimeout:   b.cfg.ButtonChargeTimeout.Duration(),
		ConfirmationsRequired: b.cfg.ConfirmationsRequired, ConfirmationSteps: b.cfg.ConfirmationSteps,
		TolerancePercent: b.cfg.Tolerance.Decimal, PendingMax: b.cfg.PendingCharges,
		Simulated: b.cfg.SandboxChain == config.SandboxSimulated, SandboxWallets: sandbox,
		Custody: b.cfg.Custody, FeeRate: b.cfg.FeeRate.Decimal,
	}
}

// webhooks returns the activities that deliver events.
func (b *base) webhooks() *deliveries.Handler {
	return &deliveries.Handler{
		Store: b.store, Secret: b.box, Clock: clock, Slots: deliveries.NewSlots(worker.WebhookAttempts),
		Sender: outbound.NewSender(outbound.SenderConfig{
			Policy: outbound.Policy{AllowedNets: b.cfg.WebhookAllowedNets}, SOCKS5Proxy: b.cfg.SOCKS5Proxy,
		}),
		Finished:      func(outcome webhook.Status) { b.metrics.Deliveries.WithLabelValues(string(outcome)).Inc() },
		TradeFinished: func(outcome webhook.Status) { b.metrics.TradeDeliveries.WithLabelValues(string(outcome)).Inc() },
		Reported:      b.metrics.Delivered,
	}
}

// mails returns the activities that send mails. They have no mail server if none is
// configured.
func (b *base) mails() (*mails.Handler, error) {
	a := &mails.Handler{
		Store: b.store, Secret: b.box, Templates: notice.NewTemplates(), PublicURL: b.cfg.PublicURL, Clock: clock,
		Finished: func(kind mails.Kind, outcome mails.MailState) {
			b.metrics.Mails.WithLabelValues(string(kind), string(outcome)).Inc()
		},
	}
	if b.cfg.SMTPHost == "" {
		return a, nil
	}
	password, err := config.ReadSecret(b.cfg.SMTPPasswordFile)
	if err != nil {
		return nil, err
	}
	a.Sender, err = notice.NewSender(b.cfg.Mail, password)
	return a, err
}
