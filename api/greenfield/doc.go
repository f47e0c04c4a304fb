// Package greenfield is the merchants' API in the dialect of BTCPay's Greenfield API, so that
// shop plugins written for BTCPay work with Durapay unchanged. It is another interface to the
// same charges, payouts and deliveries: a store is a merchant, an invoice is a charge, a pull
// payment is a refund, the payment method is XMR-CHAIN.
//
// Each resource is a type that holds its dependencies: Server, Stores, Webhooks, Invoices and
// PullPayments. Amounts are strings in answers, and strings or numbers in requests, read with all
// of their digits. Times are whole seconds since 1970. An error is {code, message} for a request
// that is not allowed or names nothing that exists, and [{path, message}] with 422 for
// invalid values.
//
// Every route follows three rules: success is exactly 200, an absent field may be null, and
// bodies of GET requests are ignored.
package greenfield
