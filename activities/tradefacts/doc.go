// Package tradefacts is ground: the facts that trades and their payments both read from
// the rows of a trade. These are its wallets, whether its refunds must wait, why a
// payment failed, how alerts name it, and whether its payers are sanctioned.
package tradefacts
