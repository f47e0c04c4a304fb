// Package aggregator is the swap exchange's second surface, for wallets that support the
// dialect of exchange aggregators: the same quoter as api/swap, at /, /api/ and /en/api/, with
// the aggregators' names and types.
//
// Its clients accept only 200 as success, read a number as a double only if it has a decimal
// point, and expect an error as one sentence. They send no idempotency key and send some
// requests twice, so the same new_trade within half a minute means one trade. Most keys that
// they send belong to other services; such a caller is treated like one without a key.
package aggregator
