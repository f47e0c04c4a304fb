// Package checkout has the common parts of all ways to create a charge: a merchant's request, a
// button, or a visit of a payment request. They share amount, link, texts, the buyer's fields
// and the buyer's details.
package checkout
