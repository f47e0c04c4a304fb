// Package charges makes charges and moves them on. What follows from the chain is
// decided by charge.Advance; here it is read and written in one transaction, with
// the events, the deliveries and the line of the ledger.
package charges
