// Package payouts sweeps the unpaid balance of a merchant: it reserves charges, builds,
// checks and stores one transaction, and only then relays it. A payout fails only when
// the network can no longer mine it. A payout that is swapped pays the deposit of its
// swap. The package takes claims for refunds and looks what a refund needs next; a claim is paid as
// a sweep is. Swaps orders the swaps of merchants at their providers and follows them;
// swap.Advance decides which of a provider's answers to believe.
package payouts
