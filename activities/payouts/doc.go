// Package payouts sweeps what is due to a merchant: charges are reserved, one
// transaction is built, checked and stored, and only then relayed. A payout fails
// only when the network can no longer mine it. One that is swapped pays the deposit
// of its swap.
package payouts
