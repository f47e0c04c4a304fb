// Package tradefacts is ground: what trades and their payments both ask of the
// rows of a trade. These are its wallets, whether its refunds have to wait, why a
// payment failed, how alerts name it, and whether its payers are sanctioned.
package tradefacts
