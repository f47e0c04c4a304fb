// Package workflows holds everything that must not be forgotten: a charge
// that waits for money, a payout, a webhook delivery, the watch over a wallet.
// Each file is one workflow with its input, signals, updates and ID on top.
// A run of Delivery or Payout is in one phase at a time: phases.md has the tables.
// Workflows only decide and wait; what has effects is an activity, and what
// is decided about money comes from the pure domain packages.
package workflows
