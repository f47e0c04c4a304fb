// Package start starts workflows and waits for what they have to say first. A
// payout, a swap, a refund and a redelivery are each one update-with-start, and a charge
// is written together with the wish for its workflow, so that there is never a second
// write that could be missing.
package start
