package charge

import "errors"

// Reasons for which a merchant cannot accept the money received so far. Clients
// see these texts.
var (
	ErrConfirmed = errors.New("the charge is confirmed already")
	ErrNoPayment = errors.New("no payment of the charge has its confirmations yet")
)

// AcceptUnderpaid lowers ConfirmFrom to the sum of the mature payments, if that
// is less, so that Advance confirms the charge: in time if it was pending, late
// if it had expired. Later payments are added to the balance. It also clears
// MarkedInvalid and CountsUntil. A charge that was accepted as underpaid before
// is returned unchanged; any other confirmed charge returns ErrConfirmed.
// Without a mature payment it returns ErrNoPayment.
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
		c.Mark, c.CountsUntil = Unmarked, nil // the merchant accepts the money, whenever it arrived
	}
	return c, nil
}
