// Package aggregator speaks the dialect of a swap aggregator, in which many
// wallets ask for quotes and trades: GET requests, a key in the header
// API-Key, errors as one sentence. Our own exchange answers in it too, at its
// second surface.
package aggregator
