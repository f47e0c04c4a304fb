package workflows

// PhaseRow is a row of a table of phases.
type PhaseRow struct{ From, On, To, Then string }

// DeliveryRows is the table of Delivery, for the tests that walk it.
func DeliveryRows() []PhaseRow { return rowsOf(deliveryTransitions) }

// PayoutRows is the table of Payout.
func PayoutRows() []PhaseRow { return rowsOf(payoutTransitions) }

// RefundRows is the table of Refund.
func RefundRows() []PhaseRow { return rowsOf(refundTransitions) }

// ChargeRows is the table of Charge.
func ChargeRows() []PhaseRow { return rowsOf(chargeTransitions) }

// TradeRows is the table of Trade.
func TradeRows() []PhaseRow { return rowsOf(tradeTransitions) }

// SwapRows is the table of Swap.
func SwapRows() []PhaseRow { return rowsOf(swapTransitions) }

func rowsOf[P, E ~string](table transitions[P, E]) []PhaseRow {
	rows := make([]PhaseRow, 0, len(table))
	for _, t := range table {
		rows = append(rows, PhaseRow{string(t.From), string(t.On), string(t.To), t.Then})
	}
	return rows
}
