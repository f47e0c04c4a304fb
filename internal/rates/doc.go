// Package rates knows two kinds of prices, both taken from exchanges that trade
// the pair directly: that of XMR in fiat currencies, for charges (Service), and
// the bid and ask of coins, for swaps (Coins). A background loop keeps a small
// cache of each. Asking for a price never waits for the network.
package rates
