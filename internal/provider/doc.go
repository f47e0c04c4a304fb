// Package provider is what the service knows of others who swap coins: one
// interface with a quote, a creation and a status, one set of states, and one
// set of errors that say what may be done next. The packages below it speak
// the dialects of single providers.
package provider
