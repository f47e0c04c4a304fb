package activities

import (
	"fmt"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// unsent is the alert about a transaction that waits.
func unsent(p db.TradePaymentState, why string) db.OpenAlertParams {
	return db.OpenAlertParams{Kind: alert.TradePaymentStuck, Subject: paymentSubject(p.TradeID, p.ID), Detail: p.Kind + ": " + why}
}

// paymentSubject is what alerts about a payment name it by.
func paymentSubject(tradeID string, id int64) string { return fmt.Sprintf("%s/%d", tradeID, id) }

// reasonOf is why a payment or its transaction failed.
func reasonOf(p db.TradePaymentState) *string {
	if p.TransactionID == nil {
		return p.Reason
	}
	return p.TransactionReason
}
