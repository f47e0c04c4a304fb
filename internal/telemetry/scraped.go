package telemetry

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/durapay/durapay/internal/money"
)

const countTimeout = 2 * time.Second

// Count returns a number for each value of a label. Its context ends after
// two seconds.
type Count func(ctx context.Context) (map[string]int64, error)

// scraped is a gauge whose values are asked for at each scrape.
type scraped struct {
	desc *prometheus.Desc
	// ask passes on each value with the values of its labels.
	ask func(ctx context.Context, show func(value float64, labels ...string)) error
}

func newCounted(name, help, label string, count Count) scraped {
	return scraped{prometheus.NewDesc(name, help, []string{label}, nil), func(ctx context.Context, show func(float64, ...string)) error {
		values, err := count(ctx)
		if err != nil {
			return err
		}
		for of, n := range values {
			show(float64(n), of)
		}
		return nil
	}}
}

// Describe implements prometheus.Collector.
func (s scraped) Describe(out chan<- *prometheus.Desc) { out <- s.desc }

// Collect implements prometheus.Collector. When counting fails, only these series
// are missing from the scrape.
func (s scraped) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	if err := s.ask(ctx, func(value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(s.desc, prometheus.GaugeValue, value, labels...)
	}); err != nil {
		out <- prometheus.NewInvalidMetric(s.desc, err)
	}
}

// Holdings are what the exchange holds, by wallet and part, in whole coins.
type Holdings map[string]map[string]money.Decimal

// Inventory adds durapay_exchange_inventory by wallet and part, asked for at
// each scrape. The part total includes locked money, unlocked could be paid out now; reserved
// is kept for trades, unfunded is the part of it whose deposit has not been seen. Series are numbers for people: nothing is decided by them. It panics when it
// is called twice.
func (m *Metrics) Inventory(ask func(context.Context) (Holdings, error)) {
	m.registry.MustRegister(scraped{prometheus.NewDesc("durapay_exchange_inventory",
		"What the exchange holds, in whole coins: total, unlocked, reserved for trades, and the unfunded part of that.",
		[]string{"wallet", "part"}, nil), func(ctx context.Context, show func(float64, ...string)) error {
		holdings, err := ask(ctx)
		if err != nil {
			return err
		}
		for wallet, parts := range holdings {
			for part, amount := range parts {
				shown, err := strconv.ParseFloat(amount.String(), 64)
				if err != nil {
					return err
				}
				show(shown, wallet, part)
			}
		}
		return nil
	}})
}
