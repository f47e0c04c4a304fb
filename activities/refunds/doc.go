// Package refunds makes refunds of charges, takes claims of them and has the merchant
// approve or cancel them. A claim is paid by package payouts.
package refunds
