package watch

import (
	"github.com/durapay/durapay/internal/chain"
)

// Changes are the differences between two scans.
type Changes struct {
	// New are payments that are not stored.
	New []Payment
	// Moved are stored payments that have a new place, including dropped ones.
	Moved []Move
	// Relocked are stored payments for which the wallet now reports another lock.
	// They are also in Moved, even if their place is unchanged.
	Relocked []chain.Received
	// Revalued are stored payments that pay another amount in their block than was
	// stored. The amount may be 0: of several payments to one key only one can be
	// spent, and a wallet does not see that while they are in the pool. They are
	// also in Moved, even if their place is unchanged.
	Revalued []Revaluation
}

// Revaluation is the new amount of a stored payment.
type Revaluation struct {
	Row    Row
	Amount uint64
}

// Empty reports whether nothing changed.
func (c Changes) Empty() bool { return len(c.New)+len(c.Moved)+len(c.Relocked)+len(c.Revalued) == 0 }

// Payment is a payment that is not stored yet.
type Payment struct {
	chain.Received

	Place Place
}

// Move is a stored payment's new place.
type Move struct {
	Row Row
	To  Place
}

// shown are the payments that the wallet shows, each once.
type shown map[Key]chain.Received

// isPayment reports whether a received payment pays anything. Anyone can send a
// payment of nothing, and the operator owes nothing for it. Such a payment in a
// block still matters if it is stored, because its stored amount must be
// corrected.
func isPayment(r chain.Received) bool { return r.Amount > 0 }

// collect keeps each payment once. A payment that is moving from the pool into
// a block can be in both of the wallet's lists; the one in the block is kept.
func collect(list []chain.Received) shown {
	all := make(shown, len(list))
	for _, r := range list {
		if !isPayment(r) && r.Height == 0 {
			continue
		}
		if _, twice := all[KeyOf(r)]; !twice || r.Height != 0 {
			all[KeyOf(r)] = r
		}
	}
	return all
}

// byKey maps the stored rows by their keys.
func byKey(lists ...[]Row) map[Key]Row {
	all := map[Key]Row{}
	for _, list := range lists {
		for _, r := range list {
			all[r.Key()] = r
		}
	}
	return all
}

// diff compares the wallet's payments with the stored ones. It takes the place
// of each payment from the daemon, as seen from the tip. Payments that were not
// located keep their place.
func diff(seen shown, rows map[Key]Row, located map[string]chain.Location, tip uint64) Changes {
	c := Changes{New: unstored(seen, rows, located, tip)}
	for key, row := range rows {
		at, asked := located[row.TxHash]
		if !asked {
			continue
		}
		r, isShown := seen[key]
		to := placeOf(at, tip, isShown && r.Contested)
		relocked := isShown && !row.Lock.same(LockOf(r))
		if relocked {
			c.Relocked = append(c.Relocked, r)
		}
		revalued := isShown && r.Height != 0 && r.Amount != row.Amount
		if revalued {
			c.Revalued = append(c.Revalued, Revaluation{row, r.Amount})
		}
		if relocked || revalued || !same(to, row.Place) {
			c.Moved = append(c.Moved, Move{row, to})
		}
	}
	return c
}

// unstored returns the payments that the wallet shows and that are not stored,
// at the places where the daemon has them.
func unstored(seen shown, rows map[Key]Row, located map[string]chain.Location, tip uint64) []Payment {
	var list []Payment
	for key, r := range seen {
		at := located[r.TxHash]
		if _, stored := rows[key]; !stored && isPayment(r) && at.State != chain.Unknown {
			list = append(list, Payment{r, placeOf(at, tip, r.Contested)})
		}
	}
	return list
}

// placeOf returns the place of a transaction in the daemon's answer, as seen
// from the tip. A payment can only be contested while it is in no block.
func placeOf(at chain.Location, tip uint64, contested bool) Place {
	switch {
	case at.State == chain.Unknown:
		return Place{Dropped: true}
	case at.State == chain.Mined && at.Height <= tip:
		return Place{Height: &at.Height}
	default:
		return Place{Contested: at.State == chain.InPool && (at.Contested || contested)}
	}
}

func same(a, b Place) bool {
	if (a.Height == nil) != (b.Height == nil) || a.Dropped != b.Dropped || a.Contested != b.Contested {
		return false
	}
	return a.Height == nil || *a.Height == *b.Height
}

// LockOf returns the lock of a received payment.
func LockOf(r chain.Received) Lock {
	return Lock{UnlockHeight: r.UnlockHeight, UnlockAt: r.UnlockAt, SpendableAfter: r.SpendableAfter}
}

func (l Lock) same(o Lock) bool {
	return l.UnlockHeight == o.UnlockHeight && l.UnlockAt.Equal(o.UnlockAt) && l.SpendableAfter == o.SpendableAfter
}
