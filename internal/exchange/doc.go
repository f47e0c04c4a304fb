// Package exchange quotes swaps from the exchange's own wallets. It brings
// together what the watchers wrote of the wallets, what is reserved for other
// trades, and the prices of the market, and lets package trade decide. A quote
// asks no wallet and no exchange: it reads rows and memory. Beside it a quote
// fan-out asks other providers for the same swap. The policy of a pair says who
// may fill it.
package exchange
