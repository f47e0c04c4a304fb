// Package greenfield is the merchants' API in the dialect of BTCPay's Greenfield API, so that
// shop plugins written for BTCPay work with Durapay unchanged. It is another interface to the
// same charges, payouts and deliveries: a store is a merchant, an invoice is a charge, a pull
// payment is a refund, the payment method is XMR-CHAIN.
//
// It is a house of rooms with doors, like api/merchant. Each room below is a package for one
// resource: its handler holds its dependencies, and Register adds its routes. Rooms use the
// ground packages of api/merchant (request, limits, auth, start, checkout) and those of this
// surface: problem (errors in BTCPay's format), route (the declaration of a route and the
// permission that it needs) and exact (amounts as strings, times as seconds). No room imports
// another.
//
// Every route follows three rules: success is exactly 200, an absent field may be null, and
// bodies of GET requests are ignored.
package greenfield
