package telemetry

import (
	"maps"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/client"
)

// temporalMetrics are the SDK's metrics that dashboards and alerts read, by the SDK's names.
// It drops the other metrics, because each has a series for every workflow and queue.
type temporalMetrics struct {
	counters map[string]*prometheus.CounterVec
	gauges   map[string]*prometheus.GaugeVec
	timers   map[string]*prometheus.HistogramVec
}

func newTemporalMetrics() temporalMetrics {
	waits := func(of string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "durapay_temporal_" + of + "_task_schedule_to_start_seconds", Help: "How long a task of Temporal's waited for a worker.",
			Buckets: []float64{0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300},
		}, []string{"task_queue"})
	}
	return temporalMetrics{
		counters: map[string]*prometheus.CounterVec{
			"temporal_workflow_failed": counter("durapay_temporal_workflow_failed_total", "Runs that ended failed.", "workflow_type"),
			"temporal_workflow_task_execution_failed": counter("durapay_temporal_workflow_task_failed_total",
				"Steps of runs that failed by a fault of the program.", "workflow_type"),
		},
		gauges: map[string]*prometheus.GaugeVec{
			"temporal_worker_task_slots_available": gauge("durapay_temporal_free_places", "Free places of a worker.", "task_queue", "worker_type"),
		},
		timers: map[string]*prometheus.HistogramVec{
			"temporal_workflow_task_schedule_to_start_latency": waits("workflow"),
			"temporal_activity_schedule_to_start_latency":      waits("activity"),
		},
	}
}

func (t temporalMetrics) register(r *prometheus.Registry) {
	for _, c := range t.counters {
		r.MustRegister(c)
	}
	for _, g := range t.gauges {
		r.MustRegister(g)
	}
	for _, h := range t.timers {
		r.MustRegister(h)
	}
}

// Temporal returns what clients and workers of Temporal report their metrics to.
func (m *Metrics) Temporal() client.MetricsHandler { return temporalHandler{metrics: m.temporal} }

// temporalHandler reports metrics with tags.
type temporalHandler struct {
	metrics temporalMetrics
	tags    map[string]string
}

// WithTags returns a handler with additional or replaced tags.
func (h temporalHandler) WithTags(tags map[string]string) client.MetricsHandler {
	all := maps.Clone(h.tags)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, tags)
	return temporalHandler{h.metrics, all}
}

// Counter returns the counter of a name, which counts nothing for a name that is not kept.
func (h temporalHandler) Counter(name string) client.MetricsCounter {
	if c, kept := h.metrics.counters[name]; kept {
		one := c.WithLabelValues(h.tags["workflow_type"])
		return counts(func(n int64) { one.Add(float64(n)) })
	}
	return client.MetricsNopHandler.Counter(name)
}

// Gauge returns the gauge of a name.
func (h temporalHandler) Gauge(name string) client.MetricsGauge {
	if g, kept := h.metrics.gauges[name]; kept {
		return shows(g.WithLabelValues(h.tags["task_queue"], h.tags["worker_type"]).Set)
	}
	return client.MetricsNopHandler.Gauge(name)
}

// Timer returns the timer of a name.
func (h temporalHandler) Timer(name string) client.MetricsTimer {
	if t, kept := h.metrics.timers[name]; kept {
		one := t.WithLabelValues(h.tags["task_queue"])
		return times(func(d time.Duration) { one.Observe(d.Seconds()) })
	}
	return client.MetricsNopHandler.Timer(name)
}

type (
	counts func(int64)
	shows  func(float64)
	times  func(time.Duration)
)

// Inc adds to the counter.
func (c counts) Inc(n int64) { c(n) }

// Update sets the gauge.
func (s shows) Update(v float64) { s(v) }

// Record adds a duration.
func (t times) Record(d time.Duration) { t(d) }
