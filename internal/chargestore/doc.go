// Package chargestore creates charges, writes what their merchants decide, and advances them.
// charge.Advance decides what follows from the chain. This package reads the facts and
// writes the result in one transaction, with the events, the deliveries, the line of the
// ledger and the wakeup of the charge's workflow.
package chargestore
