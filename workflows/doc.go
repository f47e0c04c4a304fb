// Package workflows holds everything that must not be forgotten: a charge that waits for
// money, a payout, a webhook delivery, the watch over a wallet. A workflow has a file,
// with its input, signals, updates and ID at the top; the small ones of wallets, of
// schedules and of mails share small.go. A run is in one phase at a time: phases.md has
// the tables. Workflows only decide and wait. Activities have the effects, and the pure
// domain packages make the decisions about money.
package workflows
