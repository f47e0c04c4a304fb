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
	// Relocked are stored ones whose lock the wallet tells otherwise. They are among
	// Moved, wherever they are.
	Relocked []chain.Received
}

// Empty says that nothing changed.
func (c Changes) Empty() bool { return len(c.New)+len(c.Moved)+len(c.Relocked) == 0 }

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

// isPayment leaves out what pays nothing: anybody can send that, and nobody is
// owed anything for it.
func isPayment(r chain.Received) bool { return r.Amount > 0 }

// collect keeps each payment once: one on its way from the pool into a block is
// in both of the wallet's lists.
func collect(list []chain.Received, key func(chain.Received) Key) shown {
	all := make(shown, len(list))
	for _, r := range list {
		if !isPayment(r) {
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

// toLocate names the transactions that the daemon must be asked for, each once:
// all but those that lie in the pool while the wallet shows them there and no
// block came.
func toLocate(seen shown, rows map[Key]Row, newBlock bool) []string {
	asked := map[string]bool{}
	var hashes []string
	ask := func(txHash string) {
		if !asked[txHash] {
			asked[txHash] = true
			hashes = append(hashes, txHash)
		}
	}
	for key, r := range seen {
		if _, stored := rows[key]; !stored {
			ask(r.TxHash)
		}
	}
	for key, row := range rows {
		r, isShown := seen[key]
		calm := isShown && r.Height == 0 && row.Place.Height == nil && !row.Place.Dropped && !newBlock
		if !calm {
			ask(row.TxHash)
		}
	}
	return hashes
}

// diff compares what the wallet shows with what is stored, and puts each payment
// where the daemon has it, as seen from the tip. What was not located did not
// change.
func diff(seen shown, rows map[Key]Row, located map[string]chain.Location, tip uint64) Changes {
	var c Changes
	for key, r := range seen {
		at, known := located[r.TxHash]
		if _, stored := rows[key]; !stored && known && at.State != chain.Unknown {
			c.New = append(c.New, Payment{r, placeOf(at, tip, r.Contested)})
		}
	}
	for key, row := range rows {
		r, isShown := seen[key]
		to := row.Place
		if at, known := located[row.TxHash]; known {
			to = placeOf(at, tip, isShown && r.Contested)
		} else if isShown {
			to.Contested = r.Contested // it is in the pool
		}
		relocked := isShown && row.Lock != nil && !row.Lock.same(LockOf(r))
		if relocked {
			c.Relocked = append(c.Relocked, r)
		}
		if relocked || !same(to, row.Place) {
			c.Moved = append(c.Moved, Move{row, to})
		}
	}
	return c
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
