// Package greenfield is the merchants' API in the dialect of BTCPay's Greenfield
// API, so that shop plugins that were written for BTCPay sell through Durapay
// unchanged. It is one more face of the same charges, payouts and deliveries: a
// store is a merchant, an invoice is a charge, a pull payment is a refund, the payment
// method is XMR-CHAIN.
//
// It is a house of rooms with doors, as api/merchant is. Each room below is a
// package for one resource: its handler holds what it needs, and Register adds its
// routes. Rooms stand on the ground of api/merchant (request, limits, auth, start,
// checkout) and on their own: problem (errors as BTCPay words them), route (how a
// route is declared, with the permission that it needs) and exact (amounts as
// strings, times as seconds). No room imports another.
//
// What holds for every route: success is exactly 200, an absent field may be null,
// bodies on GET are ignored.
package greenfield
