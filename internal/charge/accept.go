package charge

import "errors"

// Reasons for which a merchant cannot take what has come. Their texts are
// shown to clients.
var (
	ErrConfirmed = errors.New("the charge is confirmed already")
	ErrNoPayment = errors.New("no payment of the charge has its confirmations yet")
)

// AcceptUnderpaid makes what has come and has its confirmations enough for the
// charge. Advance then confirms it, as in time or as late. What comes
// afterwards is added to the balance. Accepting again changes nothing, nor
// does accepting what is enough already.
func AcceptUnderpaid(c Charge, f Facts) (Charge, error) {
	if c.UnderpaidAcceptedAt != nil {
		return c, nil
	}
	if c.Status == Confirmed {
		return c, ErrConfirmed
	}
	got := matureAmount(f)
	if got == 0 {
		return c, ErrNoPayment
	}
	if got < c.ConfirmFrom {
		c.ConfirmFrom, c.UnderpaidAcceptedAt = got, &f.Now
		c.Extended = true // the timeout stays what it was
	}
	if c.Mark == MarkedInvalid || c.CountsUntil != nil {
		c.Mark, c.CountsUntil = Unmarked, nil // what has come is taken, whenever it came
	}
	return c, nil
}
