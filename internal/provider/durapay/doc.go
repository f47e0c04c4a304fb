// Package durapay speaks the swap API of a Durapay exchange, /api/v1: GET
// requests, a key in the header API-Key, errors with codes. It knows all that the
// exchange tells of a trade, unlike package aggregator, which can be told the same
// exchange's second surface: what was received, and the transactions of deposit,
// payout and refund.
//
// Of amounts the exchange tells what was agreed, what was received and the rate, and
// not what was paid. It pays received × rate, unless much more came than was ordered:
// then the payout is not known here.
package durapay
