package telemetry

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/durapay/durapay/internal/money"
)

const countTimeout = 2 * time.Second

// counted is a gauge whose values are asked for at each scrape.
type counted struct {
	desc  *prometheus.Desc
	count Count
}

func newCounted(name, help, label string, count Count) counted {
	return counted{prometheus.NewDesc(name, help, []string{label}, nil), count}
}

// Describe implements prometheus.Collector.
func (c counted) Describe(out chan<- *prometheus.Desc) { out <- c.desc }

// Collect implements prometheus.Collector. When counting fails, only these series
// are missing from the scrape.
func (c counted) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	values, err := c.count(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(c.desc, err)
		return
	}
	for label, n := range values {
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(n), label)
	}
}

// Holding is what the exchange holds of a coin, in whole coins.
type Holding struct {
	Wallet string
	// Total includes locked money; Unlocked could be paid out now.
	Total, Unlocked money.Decimal
	// Reserved is kept for trades, Unfunded the part of it whose deposit has
	// not been seen.
	Reserved, Unfunded money.Decimal
}

// held is a gauge of holdings that are asked for at each scrape.
type held struct {
	desc *prometheus.Desc
	ask  func(context.Context) ([]Holding, error)
}

func newHeld(ask func(context.Context) ([]Holding, error)) held {
	return held{prometheus.NewDesc("durapay_exchange_inventory",
		"What the exchange holds, in whole coins: total, unlocked, reserved for trades, and the unfunded part of that.",
		[]string{"wallet", "part"}, nil), ask}
}

// Describe implements prometheus.Collector.
func (h held) Describe(out chan<- *prometheus.Desc) { out <- h.desc }

// Collect implements prometheus.Collector. Series are numbers for people:
// nothing is decided by them.
func (h held) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	holdings, err := h.ask(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(h.desc, err)
		return
	}
	for _, w := range holdings {
		for part, amount := range map[string]money.Decimal{
			"total": w.Total, "unlocked": w.Unlocked, "reserved": w.Reserved, "unfunded": w.Unfunded,
		} {
			shown, err := strconv.ParseFloat(amount.String(), 64)
			if err != nil {
				out <- prometheus.NewInvalidMetric(h.desc, err)
				continue
			}
			out <- prometheus.MustNewConstMetric(h.desc, prometheus.GaugeValue, shown, w.Wallet, part)
		}
	}
}
