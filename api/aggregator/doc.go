// Package aggregator is the swap exchange's second surface, for wallets that
// already speak the dialect of exchange aggregators: the same quoter as
// api/swap, at /, /api/ and /en/api/, in the aggregators' words and types.
//
// Its clients compare success with 200, read a number as a double only when it
// has a point, and find errors as one sentence. They send no idempotency key
// and send some requests twice; the same new_trade within half a minute is
// therefore one trade. Keys that they send are mostly not ours: whoever has
// such a key is a caller without one.
package aggregator
