// Package exchangepayments makes what the exchange pays: payouts and refunds of
// trades, and the consolidations, which are payments to itself. They share a wallet's
// claim: one transaction of a wallet is built at a time, and the next one when it was
// relayed. What operators ask for of a payment is here too, since nothing may be paid
// twice by it.
package exchangepayments
