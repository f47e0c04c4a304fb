// Package swap serves the swap exchange's API under /api/v1: quotes, creation and lookup of
// trades, and listings. All calls are GET with query parameters. Errors carry a stable code. A
// trade is created in one transaction, or by an order at another provider; all other calls read
// rows and prices from memory.
//
// Creation is idempotent: the key is bound to the trade's identifier before the trade is
// created. So repeated requests, concurrent ones and those after a crash at any point, lead to
// the same trade, and all of them get the answer that was stored first.
package swap
