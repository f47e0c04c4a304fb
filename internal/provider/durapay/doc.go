// Package durapay implements the swap API of a Durapay exchange, /api/v1: GET
// requests, a key in the header API-Key, errors with codes. It uses everything that
// the exchange reports of a trade, including the received amount and the transactions
// of deposit, payout and refund. Package aggregator, which can use the second API of
// the same exchange, does not get these.
//
// The exchange reports the agreed amount, the received amount and the rate, but not
// the amount paid. It pays received × rate, unless much more arrived than was
// ordered. In that case this package does not know the payout.
package durapay
