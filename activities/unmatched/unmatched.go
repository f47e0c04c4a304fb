package unmatched

import (
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Reasons why money is unmatched.
const (
	NoCharge     = "money on a subaddress that belongs to no charge"
	BeforeCharge = "the payment was in the chain before the charge of its subaddress was made: it is somebody else's"
)

// Alert returns the alert about money that belongs to no charge.
func Alert(txHash string, index int32, why string) db.OpenAlertParams {
	return db.OpenAlertParams{Kind: alert.PaymentUnmatched, Subject: alert.PaymentSubject(txHash, index), Detail: why}
}
