// Package rates knows the price of XMR in fiat currencies, taken from
// exchanges that trade the pair directly. A background loop keeps a small
// cache; asking for a price never waits for the network.
package rates
