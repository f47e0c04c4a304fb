// Package refunds is what merchants do with refunds of their charges, and what buyers do
// with the link of one.
package refunds
