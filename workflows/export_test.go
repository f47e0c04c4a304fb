package workflows

// Row is a row of a table of phases.
type Row struct{ From, On, To, Then string }

// DeliveryRows is the table of Delivery, for the tests that walk it.
func DeliveryRows() []Row { return rowsOf(deliveryTransitions) }

// PayoutRows is the table of Payout.
func PayoutRows() []Row { return rowsOf(payoutTransitions) }

// RefundRows is the table of Refund.
func RefundRows() []Row { return rowsOf(refundTransitions) }

// ChargeRows is the table of Charge.
func ChargeRows() []Row { return rowsOf(chargeTransitions) }

// TradeRows is the table of Trade.
func TradeRows() []Row { return rowsOf(tradeTransitions) }

// SwapRows is the table of Swap.
func SwapRows() []Row { return rowsOf(swapTransitions) }

func rowsOf[P, E ~string](table transitions[P, E]) []Row {
	rows := make([]Row, 0, len(table))
	for _, t := range table {
		rows = append(rows, Row{string(t.From), string(t.On), string(t.To), t.Then})
	}
	return rows
}
