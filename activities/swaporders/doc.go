// Package swaporders is ground: the order of a merchant's swap, requested by the merchant
// or by a payout that is swapped.
package swaporders
