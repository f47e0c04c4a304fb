package telemetry

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Metrics are the numbers that dashboards and alerts read. One process has one.
// Labels are small fixed sets: wallets, routes, providers, outcomes; never a merchant, a
// charge or an address.
type Metrics struct {
	// Deliveries counts webhook attempts, TradeDeliveries status webhooks of trades that have
	// ended; outcome is delivered, failed or dropped. Payouts counts payouts; outcome is
	// broadcast, confirmed or failed.
	Deliveries, TradeDeliveries, Payouts *prometheus.CounterVec
	// Mails counts mails that have ended. Kind is what one is about, outcome how it ended:
	// sent or refused.
	Mails *prometheus.CounterVec
	// Charges and the others add a metric that the function counts at each scrape. They panic
	// when they are called twice.
	Charges, Wakeups, AddressesHandedOut, Alerts, BusinessNotices, Trades, Backups func(Count)

	registry          *prometheus.Registry
	paymentDelivery   *prometheus.HistogramVec
	watcherLag        *prometheus.GaugeVec
	watcherScan       *prometheus.GaugeVec
	newestBlock       *prometheus.GaugeVec
	publisherReliable *prometheus.GaugeVec
	addressPool       *prometheus.GaugeVec
	requests          *prometheus.CounterVec
	requestTime       *prometheus.HistogramVec
	walletCalls       *prometheus.CounterVec
	providerQuotes    *prometheus.CounterVec
	proxyUp           *prometheus.GaugeVec
	forkDays          *prometheus.GaugeVec
	temporal          temporalMetrics
}

// NewMetrics returns metrics in a registry of their own, with those of the Go
// runtime and the process.
func NewMetrics() *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	f := factory{promauto.With(registry)}
	counted := func(name, help, label string) func(Count) {
		return func(count Count) { registry.MustRegister(newCounted(name, help, label, count)) }
	}
	return &Metrics{
		Deliveries:         f.counter("durapay_deliveries_total", "Webhook attempts by outcome.", "outcome"),
		TradeDeliveries:    f.counter("durapay_trade_deliveries_total", "Status webhooks of trades by outcome, counted when they have ended.", "outcome"),
		Payouts:            f.counter("durapay_payouts_total", "Payouts by outcome.", "outcome"),
		Mails:              f.counter("durapay_mails_total", "Mails by kind and outcome, counted when they have ended.", "kind", "outcome"),
		Charges:            counted("durapay_pending_charges", "Charges that are pending, by mode.", "mode"),
		Wakeups:            counted("durapay_wakeups", "Changed rows whose workflows are not woken yet, by kind.", "kind"),
		AddressesHandedOut: counted("durapay_addresses_handed_out", "Highest index of an address that may have been handed out.", "wallet"),
		Alerts:             counted("durapay_alerts", "Open operator alerts by kind.", "kind"),
		BusinessNotices:    counted("durapay_business_notices", "Notices about merchants' business that wait for a mail.", "frequency"),
		Trades:             counted("durapay_trades", "Trades of the swap exchange by status.", "status"),
		Backups:            counted("durapay_last_backup_timestamp_seconds", "When the last recorded backup was finished (Unix time); nothing before the first.", "database"),
		registry:           registry,
		paymentDelivery: f.histogram("durapay_payment_to_delivery_seconds", "From a payment's first sight to the delivery of the event, by event.", "event",
			0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200),
		watcherLag:        f.gauge("durapay_watcher_lag_blocks", "Blocks between the daemon's tip and the last scan of the chain.", "chain"),
		watcherScan:       f.gauge("durapay_watcher_last_scan_timestamp_seconds", "When the chain was last scanned (Unix time).", "chain"),
		newestBlock:       f.gauge("durapay_newest_block_timestamp_seconds", "When the newest block of the wallet's daemon was first seen (Unix time).", "wallet"),
		publisherReliable: f.gauge("durapay_publisher_heard", "1 while the publisher of the chain's daemon is heard, else 0; nothing without one.", "chain"),
		addressPool:       f.gauge("durapay_address_pool_level", "Unused addresses that are ready.", "wallet"),
		requests:          f.counter("durapay_http_requests_total", "HTTP requests by route pattern and status.", "route", "status"),
		requestTime: f.histogram("durapay_http_request_duration_seconds", "Time to answer an HTTP request, by route pattern.", "route",
			0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
		walletCalls:    f.counter("durapay_wallet_rpc_calls_total", "Calls of wallet-rpc by method and outcome.", "wallet", "method", "outcome"),
		providerQuotes: f.counter("durapay_provider_quotes_total", "Questions to swap providers for a quote, by outcome.", "provider", "outcome"),
		proxyUp:        f.gauge("durapay_proxy_up", "1 while the SOCKS5 proxy answers, else 0; nothing without a proxy."),
		forkDays:       f.gauge("durapay_fork_days", "Days until an announced fork of Monero's network that the daemon does not know; nothing without one."),
		temporal:       newTemporalMetrics(f),
	}
}

// factory makes metrics of a registry.
type factory struct{ promauto.Factory }

func (f factory) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return f.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func (f factory) counter(name, help string, labels ...string) *prometheus.CounterVec {
	return f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (f factory) histogram(name, help, label string, buckets ...float64) *prometheus.HistogramVec {
	return f.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{label})
}

// Registry holds what /metrics shows.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// Delivered records that an event about a payment reached its receiver, and
// how long after the payment was first seen.
func (m *Metrics) Delivered(event string, sincePayment time.Duration) {
	m.paymentDelivery.WithLabelValues(event).Observe(sincePayment.Seconds())
}

// WatcherScanned records a scan that is lag blocks behind its chain.
func (m *Metrics) WatcherScanned(chain string, lag int64, at time.Time) {
	m.watcherLag.WithLabelValues(chain).Set(float64(lag))
	m.watcherScan.WithLabelValues(chain).Set(float64(at.UnixMilli()) / 1e3)
}

// NewestBlock records when the newest block of a wallet's daemon was first seen.
func (m *Metrics) NewestBlock(wallet string, at time.Time) {
	m.newestBlock.WithLabelValues(wallet).Set(float64(at.Unix()))
}

// PublisherReliable records whether the publisher of a chain's daemon is relied on.
func (m *Metrics) PublisherReliable(chain string, reliable bool) {
	m.publisherReliable.WithLabelValues(chain).Set(oneIf(reliable))
}

// AddressPool records how many unused addresses a wallet has ready.
func (m *Metrics) AddressPool(wallet string, level int) {
	m.addressPool.WithLabelValues(wallet).Set(float64(level))
}

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
	m.proxyUp.WithLabelValues().Set(oneIf(up))
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
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
