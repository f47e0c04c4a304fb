// Package exchangeapi is the common part of the swap exchange's two surfaces: identifying
// callers, rate limits, and creating a trade exactly once. The surfaces differ only in names
// and formats: api/swap has the exchange's own under /api/v1, api/aggregator those of wallets
// that support aggregators.
package exchangeapi
