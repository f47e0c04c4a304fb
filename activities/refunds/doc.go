// Package refunds takes claims for refunds and looks what a refund needs next. Package
// refundstore creates refunds, and package payouts pays the claims.
package refunds
