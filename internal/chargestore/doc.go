// Package chargestore writes charges, their refunds, and the events that merchants are
// notified of.
//
// It creates charges, writes what their merchants decide, and advances them.
// charge.Advance decides what follows from the chain. This package reads the facts and
// writes the result in one transaction, with the events, the deliveries, the line of the
// ledger and the wakeup of the charge's workflow.
//
// It creates refunds, writes what their merchants decide, and updates the rows of refunds
// and claims in the transaction of the change that causes the update. When a claim's payout
// is sent, confirmed, dropped or abandoned, the refund and its events change in the same
// transaction. The rules are in package refund.
//
// Rows are locked in the order of package postgres.
package chargestore
