package watch

import (
	"github.com/durapay/durapay/internal/chain"
)

// Changes are the differences between two scans.
type Changes struct {
	// New are payments that are not stored.
	New []Payment
	// Moved are stored ones whose place is another, dropped ones included.
	Moved []Move
	// Relocked are stored ones whose lock the wallet now tells otherwise. They
	// are among Moved, also when their place is the same.
	Relocked []chain.Received
	// Revalued are stored ones that pay another amount in their block than
	// they were taken to pay. The amount may be nothing: of several payments
	// to one key only one can be spent, and a wallet does not see that while
	// they are in the pool. They are among Moved, also when their place is the
	// same.
	Revalued []Revaluation
}

// Revaluation is what a stored payment pays.
type Revaluation struct {
	Row    Row
	Amount uint64
}

// Empty says that nothing changed.
func (c Changes) Empty() bool { return len(c.New)+len(c.Moved)+len(c.Relocked)+len(c.Revalued) == 0 }

// Payment is one that is not stored yet.
type Payment struct {
	chain.Received

	Place Place
}

// Move is a stored payment's new place.
type Move struct {
	Row Row
	To  Place
}

// shown is what the wallet shows of a payment, once.
type shown map[Key]chain.Received

// isPayment leaves out what pays nothing. Anybody can send that, and nobody is
// owed anything for it. In a block it still matters where it is stored: it
// tells what the stored payment came to.
func isPayment(r chain.Received) bool { return r.Amount > 0 }

// collect keeps each payment once. A payment on its way from the pool into a
// block is in both of the wallet's lists.
func collect(list []chain.Received, key func(chain.Received) Key) shown {
	all := make(shown, len(list))
	for _, r := range list {
		if !isPayment(r) && r.Height == 0 {
			continue
		}
		if _, twice := all[key(r)]; !twice || r.Height != 0 {
			all[key(r)] = r
		}
	}
	return all
}

// byKey is the stored rows.
func byKey(lists ...[]Row) map[Key]Row {
	all := map[Key]Row{}
	for _, list := range lists {
		for _, r := range list {
			all[r.Key()] = r
		}
	}
	return all
}

// diff compares what the wallet shows with what is stored. It puts each
// payment where the daemon has it, as seen from the tip. Payments that were
// not located stay where they are.
func diff(seen shown, rows map[Key]Row, located map[string]chain.Location, tip uint64) Changes {
	c := Changes{New: unstored(seen, rows, located, tip)}
	for key, row := range rows {
		at, asked := located[row.TxHash]
		if !asked {
			continue
		}
		r, isShown := seen[key]
		to := placeOf(at, tip, isShown && r.Contested)
		relocked := isShown && row.Lock != nil && !row.Lock.same(LockOf(r))
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

// unstored are the payments that the wallet shows and no row knows, where the
// daemon has them.
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

// placeOf is where the daemon has a transaction, as seen from the tip. Only
// outside of blocks it can be contested.
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

// LockOf is a received payment's lock.
func LockOf(r chain.Received) Lock {
	return Lock{UnlockHeight: r.UnlockHeight, UnlockAt: r.UnlockAt, SpendableAfter: r.SpendableAfter}
}

func (l Lock) same(o Lock) bool {
	return l.UnlockHeight == o.UnlockHeight && l.UnlockAt.Equal(o.UnlockAt) && l.SpendableAfter == o.SpendableAfter
}
