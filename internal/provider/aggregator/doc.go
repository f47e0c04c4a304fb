// Package aggregator implements the dialect of a swap aggregator, which many
// wallets use to ask for quotes and trades: GET requests, a key in the header
// API-Key, and errors as one sentence. Our own exchange also speaks it, in its
// second API.
package aggregator
