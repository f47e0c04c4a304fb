package charge

import (
	"errors"

	"github.com/durapay/durapay/internal/money"
)

// Mark is what a merchant has said of a charge, whatever the chain shows.
type Mark string

// The marks.
const (
	// Unmarked is a charge that goes by the chain.
	Unmarked Mark = ""
	// MarkedSettled is a charge that the merchant takes as paid with what has come,
	// however little.
	MarkedSettled Mark = "settled"
	// MarkedInvalid is a charge that the merchant wants no money for. What comes all
	// the same confirms nothing, until it is marked as settled.
	MarkedInvalid Mark = "invalid"
)

// ErrMark says that a confirmed charge cannot be marked as invalid: its money is
// in the books. Its text is shown to clients.
var ErrMark = errors.New("the charge is confirmed: it cannot be marked as invalid")

// MarkAs is the charge with a mark and the events that follow, in order. Marking
// again changes nothing; nor does marking as settled what is confirmed, or is
// confirmed by its money. ErrMark refuses to mark a confirmed one as invalid.
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

// counted is the mature money that may confirm the charge: none of one that is
// marked as invalid, and nothing that was first seen after CountsUntil.
func counted(c Charge, f Facts) money.Piconero {
	if c.Mark == MarkedInvalid {
		return 0
	}
	if c.CountsUntil == nil {
		return matureAmount(f)
	}
	inTime := Facts{}
	for _, p := range f.Payments {
		if !p.FirstSeenAt.After(*c.CountsUntil) {
			inTime.Payments = append(inTime.Payments, p)
		}
	}
	return matureAmount(inTime)
}
