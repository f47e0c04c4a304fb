package charge

import (
	"slices"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Event names of the contract that a charge emits.
const (
	EventCreated       = "charge.created"
	EventPending       = "charge.pending"
	EventConfirmed     = "charge.confirmed"
	EventLateConfirmed = "charge.late_confirmed"
	EventExpired       = "charge.expired"
)

// Rules are the settings that Advance needs.
type Rules struct {
	// ConfirmationWindow is added once to ExpiresAt when the full amount is
	// seen in time; 0 means never.
	ConfirmationWindow time.Duration
}

// Advance returns the charge in its state at f.Now and the names of the events
// that this emits, in order. It is a pure function of the charge and the facts:
// running it again on its own result with the same facts changes nothing and
// emits nothing.
func Advance(c Charge, f Facts, rules Rules) (Charge, []string) {
	var events []string
	emit := func(name string) { events = append(events, name) }

	if c.Status == Pending {
		if len(f.Payments) > 0 && c.SeenAt == nil {
			first := slices.MinFunc(f.Payments, func(a, b Payment) int { return a.FirstSeenAt.Compare(b.FirstSeenAt) })
			c.SeenAt = &first.FirstSeenAt
			emit(EventPending)
		}
		c = extend(c, f, rules)
	}
	paid := counted(c, f) >= c.ConfirmFrom
	switch {
	case c.Status == Confirmed:
		// A charge that is marked as settled stays backed, however little has arrived.
		c.Unbacked = c.Mark == Unmarked && c.PayoutID == nil && Mined(f) < c.ConfirmFrom
	case c.Status == Pending && paid:
		c = confirm(c, f.Now)
		emit(EventConfirmed)
	case c.Status == Pending && !f.Now.Before(c.ExpiresAt):
		c.Status = Expired
		emit(EventExpired)
		fallthrough
	case c.Status == Expired:
		if paid {
			c = confirm(c, f.Now)
			c.Late = true
			emit(EventLateConfirmed)
		}
	}
	return c, events
}

// extend moves the payment timeout once, when the full amount was first seen
// before it. So a charge whose customer paid in time does not expire while the
// chain confirms the payment.
func extend(c Charge, f Facts, rules Rules) Charge {
	if c.Extended || rules.ConfirmationWindow <= 0 {
		return c
	}
	if sumOf(f.Payments, func(p Payment) bool { return p.FirstSeenAt.Before(c.ExpiresAt) }) >= c.ConfirmFrom {
		c.Extended = true
		c.ExpiresAt = c.ExpiresAt.Add(rules.ConfirmationWindow)
		if c.CountsUntil != nil {
			c.CountsUntil = new(c.CountsUntil.Add(rules.ConfirmationWindow))
		}
	}
	return c
}

func confirm(c Charge, now time.Time) Charge {
	c.Status = Confirmed
	c.ConfirmedAt = &now
	return c
}

// Mined returns the sum of the payments in blocks, without those in the pool. After a
// reorganization, a daemon keeps the transactions of a dropped block in its pool for days,
// even when another transaction has spent their inputs.
func Mined(f Facts) money.Piconero {
	return sumOf(f.Payments, func(p Payment) bool { return p.Height != nil })
}

// sumOf returns the sum of the payments that fulfil such.
func sumOf(payments []Payment, such func(Payment) bool) money.Piconero {
	var sum money.Piconero
	for _, p := range payments {
		if such(p) {
			sum = addSaturated(sum, p.Amount)
		}
	}
	return sum
}

// addSaturated adds amounts that the chain shows. A sum above the largest value
// cannot exist on the chain, so it returns the largest value instead.
func addSaturated(a, b money.Piconero) money.Piconero {
	sum, err := a.Add(b)
	if err != nil {
		return ^money.Piconero(0)
	}
	return sum
}
