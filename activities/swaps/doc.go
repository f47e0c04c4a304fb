// Package swaps orders the swaps of merchants at their providers and follows them.
// What is believed of a provider's word is decided by swap.Advance.
package swaps
