// Package greenfield is the merchants' API in the dialect of BTCPay's Greenfield API, so that
// shop plugins written for BTCPay work with Durapay unchanged. It is another interface to the
// same charges, payouts and deliveries: a store is a merchant, an invoice is a charge, a pull
// payment is a refund, the payment method is XMR-CHAIN.
//
// It has rooms with doors, like api/merchant. Each room below is a package for one subject. Each
// resource in it is a type that holds its dependencies, and its Register adds its routes. Rooms
// use the ground of the merchants' API (api/httpapi, api/access, api/service) and that of this
// surface: dialect (routes with their permission, errors, amounts, times). No room imports
// another.
//
// Every route follows three rules: success is exactly 200, an absent field may be null, and
// bodies of GET requests are ignored.
package greenfield
