// Package start starts workflows, and waits for their first result where the caller needs one.
// Payouts, swaps and claims use one update-with-start each. A charge is inserted
// in the same transaction as its wakeup, which starts its workflow. So a crash never leaves one
// without the other.
package start
