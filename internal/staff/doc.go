// Package staff holds what people may do in a shop that is not theirs. A person has
// an account of their own and a role in the shop. One table lists the operations of
// each role; every other operation is for the merchant alone.
package staff
