// Package swap holds the rules of a merchant's swap at another provider: its
// statuses, and how a provider's report changes one. The merchant sends coins to
// the provider and the provider sends coins to the destination, so this service
// knows of a swap only what its provider reports. This package decides which
// reports it believes.
//
//	waiting ⇄ confirming ─▶ exchanging ─▶ sending ─▶ finished
//	   │          └─────────────┴────────────┴─────▶ failed, refunded
//	   └─▶ failed (never paid) ─▶ refunded, finished (paid late)
//
// An end that the provider reports is final. A swap that is shown as failed
// without a reported end, because its time ran out or because the provider holds
// it, is still polled and may end well.
package swap
