// Package checkout is what all ways to a charge have in common, be it the
// merchant's own request, a button or the visit of a payment request: amount, link,
// texts, the buyer's fields and details.
package checkout
