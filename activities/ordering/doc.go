// Package ordering is ground: an order at a provider is noted, sent once and kept,
// and a placed one is asked for. Merchants' swaps and trades that an upstream fills
// bring their own rows.
package ordering
