// Package swap serves the swap exchange's API under /api/v1: quotes, creation
// and lookup of trades, and listings. All calls are GET with query parameters;
// errors carry a stable code. A trade is made by its workflow in one
// update-with-start; everything else reads rows and prices from memory.
//
// Creation is idempotent: the key names the trade before the workflow is
// asked for it, so that repeats, also at the same time and after a crash
// anywhere, come to the same trade, and the answer that was kept first is the
// answer of all.
package swap
