// Package swaps orders the swaps of merchants at their providers and follows them.
// swap.Advance decides which of a provider's answers to believe.
package swaps
