package telemetry

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics are the numbers that dashboards and alerts read. One process has one.
// Labels are small fixed sets: wallets, routes, providers, outcomes; never a merchant, a
// charge or an address.
type Metrics struct {
	registry        *prometheus.Registry
	paymentDelivery *prometheus.HistogramVec
	watcherLag      *prometheus.GaugeVec
	watcherScan     *prometheus.GaugeVec
	publisherHeard  *prometheus.GaugeVec
	addressPool     *prometheus.GaugeVec
	deliveries      *prometheus.CounterVec
	tradeDeliveries *prometheus.CounterVec
	payouts         *prometheus.CounterVec
	mails           *prometheus.CounterVec
	requests        *prometheus.CounterVec
	requestTime     *prometheus.HistogramVec
	walletCalls     *prometheus.CounterVec
	providerQuotes  *prometheus.CounterVec
	proxyUp         *prometheus.GaugeVec
	forkDays        *prometheus.GaugeVec
	temporal        temporalMetrics
}

// NewMetrics returns metrics in a registry of their own, with those of the Go
// runtime and the process.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		paymentDelivery: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "durapay_payment_to_delivery_seconds",
			Help:    "From a payment's first sight to the delivery of the event, by event.",
			Buckets: []float64{0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200},
		}, []string{"event"}),
		watcherLag:  gauge("durapay_watcher_lag_blocks", "Blocks between the daemon's tip and the wallet.", "wallet"),
		watcherScan: gauge("durapay_watcher_last_scan_timestamp_seconds", "When the wallet was last asked (Unix time).", "wallet"),
		publisherHeard: gauge("durapay_publisher_heard",
			"1 while the publisher of the wallet's daemon is heard, else 0; nothing without one.", "wallet"),
		addressPool: gauge("durapay_address_pool_level", "Unused addresses that are ready.", "wallet"),
		deliveries:  counter("durapay_deliveries_total", "Webhook attempts by outcome.", "outcome"),
		tradeDeliveries: counter("durapay_trade_deliveries_total",
			"Status webhooks of trades by outcome, counted when they have ended.", "outcome"),
		payouts:  counter("durapay_payouts_total", "Payouts by outcome.", "outcome"),
		mails:    counter("durapay_mails_total", "Mails by kind and outcome, counted when they have ended.", "kind", "outcome"),
		requests: counter("durapay_http_requests_total", "HTTP requests by route pattern and status.", "route", "status"),
		requestTime: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "durapay_http_request_duration_seconds",
			Help:    "Time to answer an HTTP request, by route pattern.",
			Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		walletCalls: counter("durapay_wallet_rpc_calls_total", "Calls of wallet-rpc by method and outcome.", "wallet", "method", "outcome"),
		providerQuotes: counter("durapay_provider_quotes_total", "Questions to swap providers for a quote, by outcome.",
			"provider", "outcome"),
		proxyUp: gauge("durapay_proxy_up", "1 while the SOCKS5 proxy answers, else 0; nothing without a proxy."),
		forkDays: gauge("durapay_fork_days",
			"Days until an announced fork of Monero's network that the daemon does not know; nothing without one."),
		temporal: newTemporalMetrics(),
	}
	m.temporal.register(m.registry)
	m.registry.MustRegister(
		m.paymentDelivery, m.watcherLag, m.watcherScan, m.publisherHeard, m.addressPool, m.deliveries, m.tradeDeliveries, m.payouts, m.mails,
		m.requests, m.requestTime, m.walletCalls, m.providerQuotes, m.proxyUp, m.forkDays,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// Registry holds what /metrics shows.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// Delivered records that an event about a payment reached its receiver, and
// how long after the payment was first seen.
func (m *Metrics) Delivered(event string, sincePayment time.Duration) {
	m.paymentDelivery.WithLabelValues(event).Observe(sincePayment.Seconds())
}

// WatcherScanned records a look at a wallet that is lag blocks behind.
func (m *Metrics) WatcherScanned(wallet string, lag int64, at time.Time) {
	m.watcherLag.WithLabelValues(wallet).Set(float64(lag))
	m.watcherScan.WithLabelValues(wallet).Set(float64(at.UnixMilli()) / 1e3)
}

// PublisherHeard records whether the publisher of a wallet's daemon is relied on.
func (m *Metrics) PublisherHeard(wallet string, heard bool) {
	value := 0.0
	if heard {
		value = 1
	}
	m.publisherHeard.WithLabelValues(wallet).Set(value)
}

// AddressPool records how many unused addresses a wallet has ready.
func (m *Metrics) AddressPool(wallet string, level int) {
	m.addressPool.WithLabelValues(wallet).Set(float64(level))
}

// Delivery counts a webhook attempt; outcome is delivered, failed or dropped.
func (m *Metrics) Delivery(outcome string) { m.deliveries.WithLabelValues(outcome).Inc() }

// TradeDelivery counts a status webhook of a trade that has ended; outcome is
// delivered, failed or dropped.
func (m *Metrics) TradeDelivery(outcome string) { m.tradeDeliveries.WithLabelValues(outcome).Inc() }

// Payout counts a payout; outcome is broadcast, confirmed or failed.
func (m *Metrics) Payout(outcome string) { m.payouts.WithLabelValues(outcome).Inc() }

// Mail counts a mail that has ended. Kind is what it is about, outcome how it ended:
// sent or refused.
func (m *Metrics) Mail(kind, outcome string) { m.mails.WithLabelValues(kind, outcome).Inc() }

// HTTPRequest counts a request that was answered. Route is the pattern
// (/api/charges/{id}), never the path; "" stands for an unknown one.
func (m *Metrics) HTTPRequest(route string, status int, took time.Duration) {
	if route == "" {
		route = "unknown"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.requestTime.WithLabelValues(route).Observe(took.Seconds())
}

// ProxyUp records whether the SOCKS5 proxy answered.
func (m *Metrics) ProxyUp(up bool) {
	value := 0.0
	if up {
		value = 1
	}
	m.proxyUp.WithLabelValues().Set(value)
}

// ForkDays records how many days are left until a fork of the network, if there is one.
func (m *Metrics) ForkDays(days int, known bool) {
	if !known {
		m.forkDays.Reset()
		return
	}
	m.forkDays.WithLabelValues().Set(float64(days))
}

// WalletCall counts a call of wallet-rpc.
func (m *Metrics) WalletCall(wallet, method string, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	m.walletCalls.WithLabelValues(wallet, method, outcome).Inc()
}

// ProviderQuote counts a question to a swap provider for a quote; outcome is ok,
// below_min, above_max, pair_unsupported, unavailable, fault or not_asked.
func (m *Metrics) ProviderQuote(provider, outcome string) {
	m.providerQuotes.WithLabelValues(provider, outcome).Inc()
}

// Charges adds durapay_pending_charges by mode, counted by the function at each
// scrape. It panics when it is called twice.
func (m *Metrics) Charges(count Count) {
	m.registry.MustRegister(newCounted("durapay_pending_charges", "Charges that are pending, by mode.", "mode", count))
}

// Wakeups adds durapay_wakeups by kind: changed rows whose workflows Temporal must still
// wake, counted by the function at each scrape. It panics when it is called twice.
func (m *Metrics) Wakeups(count Count) {
	m.registry.MustRegister(newCounted("durapay_wakeups", "Changed rows whose workflows are not woken yet, by kind.", "kind", count))
}

// AddressesHandedOut adds durapay_addresses_handed_out by wallet: how many a
// wallet has given to charges since it exists, counted by the function at each
// scrape. It panics when it is called twice.
func (m *Metrics) AddressesHandedOut(count Count) {
	m.registry.MustRegister(newCounted("durapay_addresses_handed_out", "Addresses that charges have had, ever.", "wallet", count))
}

// Alerts adds durapay_alerts by kind: open notices to the operator, counted by
// the function at each scrape. It panics when it is called twice.
func (m *Metrics) Alerts(count Count) {
	m.registry.MustRegister(newCounted("durapay_alerts", "Open operator alerts by kind.", "kind", count))
}

// BusinessNotices adds durapay_business_notices by frequency: notices that merchants
// chose to be mailed and that are in no mail yet, counted by the function at each scrape.
func (m *Metrics) BusinessNotices(count Count) {
	m.registry.MustRegister(newCounted("durapay_business_notices", "Notices about merchants' business that wait for a mail.", "frequency", count))
}

// Trades adds durapay_trades by status, counted by the function at each scrape.
// It panics when it is called twice.
func (m *Metrics) Trades(count Count) {
	m.registry.MustRegister(newCounted("durapay_trades", "Trades of the swap exchange by status.", "status", count))
}

// Inventory adds durapay_exchange_inventory by wallet and part, asked for at
// each scrape. It panics when it is called twice.
func (m *Metrics) Inventory(ask func(context.Context) ([]Holding, error)) {
	m.registry.MustRegister(newHeld(ask))
}

// Count returns a number for each value of a label. Its context ends after
// two seconds.
type Count func(ctx context.Context) (map[string]int64, error)
