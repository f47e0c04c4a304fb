// Package swap serves the swap exchange's two surfaces: its own API under /api/v1, and that of
// wallets that support the dialect of exchange aggregators, at /, /api/ and /en/api/. They share
// the Front: identifying callers, rate limits, and creating a trade exactly once. They differ
// only in names and formats. A trade is created in one transaction, or by an order at another
// provider; all other calls read rows and prices from memory.
//
// The own API has quotes, creation and lookup of trades, and listings. All calls are GET with
// query parameters. Errors carry a stable code. Creation is idempotent: the key is bound to the
// trade's identifier before the trade is created. So repeated requests, concurrent ones and those
// after a crash at any point, lead to the same trade, and all of them get the answer that was
// stored first.
//
// Clients of the aggregators' dialect accept only 200 as success, read a number as a double only
// if it has a decimal point, and expect an error as one sentence. They send no idempotency key and
// send some requests twice, so the same new_trade within half a minute means one trade. Most keys
// that they send belong to other services; such a caller is treated like one without a key.
package swap
