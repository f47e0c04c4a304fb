// Package rates provides two kinds of prices from exchanges that trade the pair
// directly: the price of XMR in fiat currencies for charges (Service), and the
// bid and ask of coins for swaps (Coins). A background loop keeps a small cache
// of each, so a request for a price never waits for the network.
package rates
