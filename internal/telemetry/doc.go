// Package telemetry is how operators see into the service: structured logs
// that carry the identifiers of the request or workflow at hand, Prometheus
// metrics, traces, and an internal listener with the probes. Nothing secret
// goes into any of them, and the listener must not be public.
package telemetry
