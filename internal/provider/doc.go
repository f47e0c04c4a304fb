// Package provider defines how the service sees external swap providers: one
// interface with a quote, a creation and a status, one set of states, and one
// set of errors that determine the next step. Fanout asks several providers in
// parallel. Package adapter implements the dialects of individual providers.
//
// The rules of an order do not depend on who orders. There are two reasons for an order: to fill
// a trade of our exchange, and to swap for a merchant, who pays the order directly or with a
// payout. Both are placed once, polled and followed, by the same code (activities/sending).
package provider
