// Package swap is what a merchant's swap at another provider is: its statuses,
// and how a provider's word about it changes one. Coins go from the merchant to
// the provider and from the provider to the destination, so all that is known
// of a swap is what its provider says: this package decides what of that is
// believed.
//
//	waiting ⇄ confirming ─▶ exchanging ─▶ sending ─▶ finished
//	   │          └─────────────┴────────────┴─────▶ failed, refunded
//	   └─▶ failed (never paid) ─▶ refunded, finished (paid late)
//
// An end that the provider calls one is believed once and never taken back.
// A swap that is shown as failed without such an end, because its time ran out
// or because the provider holds it, is looked at further and may still end well.
package swap
