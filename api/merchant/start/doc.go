// Package start starts workflows and waits for what they have to say first. A
// charge, a payout, a swap and a redelivery are each one update-with-start, so that
// there is never a second write that could be missing.
package start
