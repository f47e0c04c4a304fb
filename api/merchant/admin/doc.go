// Package admin is what operators do over HTTP: they look after merchants, fees
// and what waits for somebody. The rules are those of internal/operator, which the
// command line has too.
package admin
