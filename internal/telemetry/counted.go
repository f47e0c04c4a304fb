package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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
