// Package ordering is ground: it records an order at a provider, sends it once and keeps
// the answer, and polls the provider about a placed order. Merchants' swaps and trades
// that an upstream fills bring their own rows.
package ordering
