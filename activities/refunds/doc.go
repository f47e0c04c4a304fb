// Package refunds makes refunds of charges, takes claims for them and has the merchant
// approve or cancel them. Package payouts pays the claims.
package refunds
