package tradefacts

import (
	"fmt"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Unsent is the alert about a transaction that waits.
func Unsent(p db.TradePaymentState, why string) db.OpenAlertParams {
	return db.OpenAlertParams{Kind: alert.TradePaymentStuck, Subject: PaymentSubject(p.TradeID, p.ID), Detail: p.Kind + ": " + why}
}

// PaymentSubject is what alerts about a payment name it by.
func PaymentSubject(tradeID string, id int64) string { return fmt.Sprintf("%s/%d", tradeID, id) }

// ReasonOf is why a payment or its transaction failed.
func ReasonOf(p db.TradePaymentState) *string {
	if p.TransactionID == nil {
		return p.Reason
	}
	return p.TransactionReason
}
