// Package swaps is quotes of swap providers and the swaps that merchants make of
// them. A quote is a sealed token and stored nowhere; a swap is named after
// merchant and quote, so whoever asks again asks for the same one.
package swaps
