// Package swapquote quotes swaps to merchants. It asks all configured providers
// in parallel and ranks their offers. A quote is handed out as a sealed token
// that contains the whole offer, so a request for a quote, which is public,
// writes nothing. A caller that returns the token gets exactly the offered
// swap, from the same provider.
package swapquote
