// Package swaps is the room of swap quotes, and of the swaps that merchants make from them. A
// quote is a sealed token that is not stored. A swap's identifier is computed from merchant and
// quote, so a repeated request gets the same swap.
package swaps
