// Package exchangepayments makes the payments of the exchange: payouts and refunds of
// trades, and the consolidations, which are payments to itself. They share a wallet's
// claim: a wallet builds one transaction at a time, and the next one after that was
// relayed. The operators' requests about payments are here too, because they must not pay
// twice either.
package exchangepayments
