// Package trades makes the trades of the exchange and advances them: from its own
// inventory, or by an order at an upstream. trade.Advance decides what follows from a
// deposit. This package writes the resulting payments as a plan, which exchangepayments
// carries out.
package trades
