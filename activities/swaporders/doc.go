// Package swaporders is ground: the order of a merchant's swap, be it asked for by
// the merchant or by a payout that is swapped.
package swaporders
