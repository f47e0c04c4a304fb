package telemetry

import (
	"maps"
	"time"

	"go.temporal.io/sdk/client"
)

// temporalMetrics are the SDK's metrics that dashboards and alerts read, by the SDK's names:
// each returns what records a value with the tags. The other metrics are dropped, because each
// has a series for every workflow and queue.
type temporalMetrics map[string]func(tags map[string]string) recorder

func newTemporalMetrics(f factory) temporalMetrics {
	counter := func(name, help string) func(map[string]string) recorder {
		counts := f.counter(name, help, "workflow_type")
		return func(tags map[string]string) recorder { return counts.WithLabelValues(tags["workflow_type"]).Add }
	}
	waits := func(of string) func(map[string]string) recorder {
		waited := f.histogram("durapay_temporal_"+of+"_task_schedule_to_start_seconds", "How long a task of Temporal's waited for a worker.", "task_queue",
			0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300)
		return func(tags map[string]string) recorder { return waited.WithLabelValues(tags["task_queue"]).Observe }
	}
	free := f.gauge("durapay_temporal_free_places", "Free places of a worker.", "task_queue", "worker_type")
	return temporalMetrics{
		"temporal_workflow_failed": counter("durapay_temporal_workflow_failed_total", "Runs that ended failed."),
		"temporal_workflow_task_execution_failed": counter("durapay_temporal_workflow_task_failed_total",
			"Steps of runs that failed by a fault of the program."),
		"temporal_worker_task_slots_available": func(tags map[string]string) recorder {
			return free.WithLabelValues(tags["task_queue"], tags["worker_type"]).Set
		},
		"temporal_workflow_task_schedule_to_start_latency": waits("workflow"),
		"temporal_activity_schedule_to_start_latency":      waits("activity"),
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

// recorder returns the recorder of a metric, which records nothing for a name that is not kept.
func (h temporalHandler) recorder(name string) recorder {
	if of, kept := h.metrics[name]; kept {
		return of(h.tags)
	}
	return func(float64) {}
}

// Counter returns the counter of a name.
func (h temporalHandler) Counter(name string) client.MetricsCounter { return h.recorder(name) }

// Gauge returns the gauge of a name.
func (h temporalHandler) Gauge(name string) client.MetricsGauge { return h.recorder(name) }

// Timer returns the timer of a name.
func (h temporalHandler) Timer(name string) client.MetricsTimer { return h.recorder(name) }

// recorder records a value.
type recorder func(float64)

// Inc adds to a counter.
func (r recorder) Inc(n int64) { r(float64(n)) }

// Update sets a gauge.
func (r recorder) Update(v float64) { r(v) }

// Record adds a duration.
func (r recorder) Record(d time.Duration) { r(d.Seconds()) }
