package charge

import (
	"errors"

	"github.com/durapay/durapay/internal/money"
)

// Mark is a merchant's decision about a charge, which overrides the chain.
type Mark string

// The marks.
const (
	// Unmarked is a charge whose state follows the chain.
	Unmarked Mark = ""
	// MarkedSettled is a charge that the merchant accepts as paid, however little
	// has arrived.
	MarkedSettled Mark = "settled"
	// MarkedInvalid is a charge for which the merchant does not accept money.
	// Payments that arrive do not confirm it until it is marked as settled.
	MarkedInvalid Mark = "invalid"
)

// ErrMark is returned when a confirmed charge is to be marked as invalid: its
// money is already in the books. Clients see its text.
var ErrMark = errors.New("the charge is confirmed: it cannot be marked as invalid")

// MarkAs returns the charge with the mark and the events that follow, in order.
// Repeating a mark changes nothing. Marking as settled changes nothing for a
// charge that is confirmed, or that is unmarked and has enough mature money for
// Advance to confirm it. Marking a confirmed charge as invalid returns ErrMark.
func MarkAs(c Charge, f Facts, mark Mark) (Charge, []string, error) {
	if c.Mark == mark {
		return c, nil, nil
	}
	switch {
	case mark == MarkedInvalid && c.Status == Confirmed:
		return c, nil, ErrMark
	case mark == MarkedInvalid:
		c.Mark = mark
		if c.Status == Expired {
			return c, nil, nil
		}
		c.Status = Expired
		return c, []string{EventExpired}, nil
	case c.Status == Confirmed, c.Mark == Unmarked && counted(c, f) >= c.ConfirmFrom:
		return c, nil, nil
	}
	event := EventConfirmed
	if c.Status == Expired {
		event, c.Late = EventLateConfirmed, true
	}
	c.Mark = mark
	return confirm(c, f.Now), []string{event}, nil
}

// counted returns the mature money that may confirm the charge: none if it is
// marked as invalid, and no payment that was first seen after CountsUntil.
func counted(c Charge, f Facts) money.Piconero {
	return sumOf(f.Payments, func(p Payment) bool { return p.Mature && mayCount(c, p) })
}

// mayCount reports whether a payment can confirm the charge once it is mature.
func mayCount(c Charge, p Payment) bool {
	return c.Mark != MarkedInvalid && (c.CountsUntil == nil || !p.FirstSeenAt.After(*c.CountsUntil))
}

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
	got := sumOf(f.Payments, func(p Payment) bool { return p.Mature })
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
