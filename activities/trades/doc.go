// Package trades advances the trades of the exchange, and places the orders of those that
// another provider fills. trade.Advance decides what follows from a
// deposit. The resulting payments are written as a plan, which Payments carries
// out: payouts and refunds of trades, and consolidations, which are payments to itself. They
// share a wallet's claim, because a wallet builds one transaction at a time, and the next one
// after that was relayed. The operators' requests about payments are here too, because they must
// not pay twice either.
package trades
