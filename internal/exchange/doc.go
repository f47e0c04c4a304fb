// Package exchange quotes swaps from the exchange's own wallets. It passes the
// wallets' balances as the watchers saved them, the amounts reserved for other
// trades, and market prices to package trade, which decides. A quote contacts
// no wallet and no price source: it reads rows and memory. In parallel, a quote
// fan-out asks other providers for the same swap. The policy of a pair decides
// who may fill it.
package exchange
