package telemetry_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/telemetry"
)

func scrape(t *testing.T, m *telemetry.Metrics) string {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	server := httptest.NewServer(telemetry.NewMux(m, telemetry.NewReadiness(nil, time.Now, log), log))
	t.Cleanup(server.Close)
	return get(t, server.URL+"/metrics", http.StatusOK)
}

func get(t *testing.T, url string, status int) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, status, resp.StatusCode, "%s", body)
	return string(body)
}

func TestMetricsAreScraped(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	m.Delivered("charge.pending", 1500*time.Millisecond)
	m.WatcherScanned("w1", 3, time.Unix(1_763_712_000, 500_000_000))
	m.PublisherReliable("w1", true)
	m.PublisherReliable("w2", false)
	m.AddressPool("w1", 480)
	m.Deliveries.WithLabelValues("delivered").Inc()
	m.Deliveries.WithLabelValues("delivered").Inc()
	m.Deliveries.WithLabelValues("dropped").Inc()
	m.TradeDeliveries.WithLabelValues("failed").Inc()
	m.Payouts.WithLabelValues("broadcast").Inc()
	m.Mails.WithLabelValues("business", "sent").Inc()
	m.BusinessNotices(func(context.Context) (map[string]int64, error) { return map[string]int64{"daily": 40}, nil })
	m.HTTPRequest("/api/charges/{id}", 200, 20*time.Millisecond)
	m.HTTPRequest("", 404, time.Millisecond)
	m.WalletCall("w1", "get_transfers", nil)
	m.WalletCall("w1", "get_transfers", errors.New("no connection"))
	m.ProviderQuote("ex", "unavailable")
	m.Charges(func(context.Context) (map[string]int64, error) {
		return map[string]int64{"live": 12, "sandbox": 1 << 40}, nil
	})
	m.Alerts(func(context.Context) (map[string]int64, error) { return map[string]int64{"unbacked": 1}, nil })
	m.AddressesHandedOut(func(context.Context) (map[string]int64, error) { return map[string]int64{"w1": 1234}, nil })
	m.Trades(func(context.Context) (map[string]int64, error) { return map[string]int64{"awaiting_deposit": 7}, nil })
	m.Inventory(func(context.Context) (telemetry.Holdings, error) {
		return telemetry.Holdings{"exchange-ltc": {
			"total": money.MustDecimal("100.5"), "unlocked": money.MustDecimal("99.00000001"),
			"reserved": money.MustDecimal("12"), "unfunded": money.MustDecimal("2.5"),
		}}, nil
	})

	text := scrape(t, m)
	for _, line := range []string{
		`durapay_provider_quotes_total{outcome="unavailable",provider="ex"} 1`,
		`durapay_payment_to_delivery_seconds_bucket{event="charge.pending",le="1"} 0`,
		`durapay_payment_to_delivery_seconds_bucket{event="charge.pending",le="2"} 1`,
		`durapay_watcher_lag_blocks{chain="w1"} 3`,
		`durapay_watcher_last_scan_timestamp_seconds{chain="w1"} 1.7637120005e+09`,
		`durapay_publisher_heard{chain="w1"} 1`,
		`durapay_publisher_heard{chain="w2"} 0`,
		`durapay_address_pool_level{wallet="w1"} 480`,
		`durapay_addresses_handed_out{wallet="w1"} 1234`,
		`durapay_deliveries_total{outcome="delivered"} 2`,
		`durapay_deliveries_total{outcome="dropped"} 1`,
		`durapay_trade_deliveries_total{outcome="failed"} 1`,
		`durapay_trades{status="awaiting_deposit"} 7`,
		`durapay_exchange_inventory{part="total",wallet="exchange-ltc"} 100.5`,
		`durapay_exchange_inventory{part="unlocked",wallet="exchange-ltc"} 99.00000001`,
		`durapay_exchange_inventory{part="reserved",wallet="exchange-ltc"} 12`,
		`durapay_exchange_inventory{part="unfunded",wallet="exchange-ltc"} 2.5`,
		`durapay_payouts_total{outcome="broadcast"} 1`,
		`durapay_mails_total{kind="business",outcome="sent"} 1`,
		`durapay_business_notices{frequency="daily"} 40`,
		`durapay_http_requests_total{route="/api/charges/{id}",status="200"} 1`,
		`durapay_http_requests_total{route="unknown",status="404"} 1`,
		`durapay_http_request_duration_seconds_bucket{route="/api/charges/{id}",le="0.025"} 1`,
		`durapay_wallet_rpc_calls_total{method="get_transfers",outcome="ok",wallet="w1"} 1`,
		`durapay_wallet_rpc_calls_total{method="get_transfers",outcome="error",wallet="w1"} 1`,
		`durapay_pending_charges{mode="live"} 12`,
		`durapay_pending_charges{mode="sandbox"} 1.099511627776e+12`,
		`durapay_alerts{kind="unbacked"} 1`,
		"go_goroutines ", "process_open_fds ",
	} {
		require.Contains(t, text, line)
	}
}

func TestFailingCountLosesItsOwnSeriesAlone(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	m.Charges(func(ctx context.Context) (map[string]int64, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			return map[string]int64{"unbounded": 1}, nil
		}
		return nil, errors.New("password=hunter2")
	})
	m.Payouts.WithLabelValues("failed").Inc()
	text := scrape(t, m)
	require.NotContains(t, text, "durapay_pending_charges")
	require.NotContains(t, text, "hunter2")
	require.Contains(t, text, `durapay_payouts_total{outcome="failed"} 1`)
}

func TestMetricsAreIndependent(t *testing.T) {
	t.Parallel()
	one, other := telemetry.NewMetrics(), telemetry.NewMetrics()
	one.Payouts.WithLabelValues("failed").Inc()
	require.NotContains(t, scrape(t, other), `durapay_payouts_total{`)
}
