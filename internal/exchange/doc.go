// Package exchange quotes swaps from the exchange's own wallets. It passes the
// wallets' balances as the watchers saved them, the amounts reserved for other
// trades, and market prices to package trade, which decides. A quote contacts
// no wallet and no price source: it reads rows and memory. In parallel, a quote
// fan-out asks other providers for the same swap. The policy of a pair decides
// who may fill it. Trades makes the trades that the exchange fills itself. Only this package knows how the personal data of a trade is sealed: the
// addresses and notes that a user gave, and the addresses that a deposit came from.
package exchange
