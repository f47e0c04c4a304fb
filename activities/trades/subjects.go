package trades

import (
	"fmt"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Unsent returns the alert about a transaction that waits.
func Unsent(p db.TradePaymentState, why string) db.OpenAlertParams {
	return db.OpenAlertParams{Kind: alert.TradePaymentStuck, Subject: PaymentSubject(p.TradeID, p.ID), Detail: p.Kind + ": " + why}
}

// PaymentSubject returns the subject of alerts about a payment.
func PaymentSubject(tradeID string, id int64) string { return fmt.Sprintf("%s/%d", tradeID, id) }

// ReasonOf returns why a payment or its transaction failed.
func ReasonOf(p db.TradePaymentState) *string {
	if p.TransactionID == nil {
		return p.Reason
	}
	return p.TransactionReason
}
