// Package payouts is the room of the merchant's balance and of the sweep that pays it out. A
// sweep is one workflow, even if its answer is lost and the client asks again.
package payouts
