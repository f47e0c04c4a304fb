// Package helm checks the chart in deploy/helm: its tests render it with Helm's own engine and
// decode the result strictly with Kubernetes' own types. It is a separate module, so that
// Durapay depends on neither.
package helm
