// Package refunds is the room of refunds: merchants make refunds of their charges, and buyers
// claim them with the link of one.
package refunds
