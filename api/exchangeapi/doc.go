// Package exchangeapi is what the two surfaces of the swap exchange share: who
// calls, how often they may, and how a trade is made once. The surfaces differ
// in words and shapes only: api/swap speaks the exchange's own language under
// /api/v1, api/aggregator that of wallets that know aggregators.
package exchangeapi
