// Package payouts is the balance of a merchant and the sweep that pays it out.
// A sweep is one workflow, however often its answer is lost.
package payouts
