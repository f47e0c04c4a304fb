package workflows

// Row is a row of a table of phases.
type Row struct{ From, On, To, Then string }

// DeliveryRows and PayoutRows are the tables, for the tests that walk them.
func DeliveryRows() []Row { return rowsOf(deliveryTransitions) }

// PayoutRows is the table of Payout.
func PayoutRows() []Row { return rowsOf(payoutTransitions) }

func rowsOf[P, E ~string](table transitions[P, E]) []Row {
	rows := make([]Row, 0, len(table))
	for _, t := range table {
		rows = append(rows, Row{string(t.From), string(t.On), string(t.To), t.Then})
	}
	return rows
}
