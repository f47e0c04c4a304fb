package charge

import (
	"slices"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// blockTime is how long a block takes on average. It only orders locks until a block
// among locks until a moment.
const blockTime = 2 * time.Minute

// LockedBy returns the payment whose payer's lock ends last among those that the charge
// needs; nil when it waits for no lock. Payments with earlier ends come first, so a locked
// one that pays nothing needed is not named.
func LockedBy(c Charge, f Facts) *Payment {
	list := slices.DeleteFunc(slices.Clone(f.Payments), func(p Payment) bool { return !mayCount(c, p) })
	slices.SortStableFunc(list, func(p, q Payment) int { return lockEnd(c, f, p).Compare(lockEnd(c, f, q)) })
	var sum money.Piconero
	for _, p := range list {
		if sum = addSaturated(sum, p.Amount); sum >= c.ConfirmFrom {
			if lockEnd(c, f, p).After(f.Now) {
				return &p
			}
			return nil
		}
	}
	return nil
}

// lockEnd estimates when a payment's lock ends: now for one that its confirmations outlast.
func lockEnd(c Charge, f Facts, p Payment) time.Time {
	if p.Mature {
		return f.Now
	}
	deep := f.ChainHeight
	if p.Height != nil {
		deep = *p.Height
	}
	end := f.Now
	if deep = max(f.ChainHeight, deep+int64(c.ConfirmationsRequired)); p.UnlockHeight > deep {
		// A height may be far beyond what a duration holds: 100 years of blocks are enough.
		end = end.Add(time.Duration(min(p.UnlockHeight-deep, 100*365*720)) * blockTime)
	}
	if p.UnlockAt != nil && p.UnlockAt.After(end) {
		end = *p.UnlockAt
	}
	return end
}
