// Package trades makes the trades of the exchange and moves them on, by its own
// inventory or by an order at an upstream. What follows from a deposit is decided by
// trade.Advance; what is then to be paid is written as a plan, which
// exchangepayments carries out.
package trades
