// Package charges makes charges and advances them. charge.Advance decides what follows
// from the chain. This package reads the facts and writes the result in one transaction,
// with the events, the deliveries and the line of the ledger.
package charges
