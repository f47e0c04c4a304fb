// Package provider defines how the service sees external swap providers: one
// interface with a quote, a creation and a status, one set of states, and one
// set of errors that determine the next step. The packages below it implement
// the dialects of individual providers.
package provider
