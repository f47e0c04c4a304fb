package watch

import (
	"hash/fnv"
	"maps"
	"slices"
	"time"
)

// Anybody can send payments, so many of them can wait for a block. They are
// asked for in rounds.
//
// A round begins when the tip or the wallet's view of its pool has changed,
// and at the latest waitingEvery after the one before began. Each scan of a
// round takes a page of waitingPerScan transactions, in the order of their
// hashes, and as many of those that were dropped lately.
//
// What is in a block, or is shown there, is asked for at once. So is a page of
// what no row knows.
const (
	waitingEvery   = 30 * time.Second
	waitingPerScan = 100
)

// round is how far a watcher has come with what waits for a block.
type round struct {
	// on says that a round is under way, again that another one follows it.
	on, again bool
	begun     time.Time
	// tip and pool are what the last scan saw; pool stands for all that the wallet
	// showed there.
	tip  string
	pool uint64
	// after is the transaction up to which this round has asked. dropped is
	// the row up to which it has asked for dropped payments. fresh is the
	// transaction up to which it has asked for those that no row knows.
	after   string
	dropped int64
	fresh   string
}

// behindAll is a text that sorts behind every hash.
const behindAll = "\xff"

// enter begins a round when it is time for one.
func (r round) enter(tip string, seen shown, now time.Time) round {
	pool := seen.pool()
	changed := tip != r.tip || pool != r.pool
	r.tip, r.pool = tip, pool
	switch {
	case r.on:
		r.again = r.again || changed
	case changed || !now.Before(r.begun.Add(waitingEvery)):
		r.on, r.begun, r.after, r.dropped = true, now, "", 0
	}
	return r
}

// unfinished says that a page of it is left for the next scan.
func (r round) unfinished() bool { return r.on || r.fresh != "" }

// pool is a number that changes when the wallet shows its pool otherwise.
func (s shown) pool() (sum uint64) {
	for key, r := range s {
		if r.Height != 0 {
			continue
		}
		h := fnv.New64a()
		for _, part := range []string{key.TxHash, key.Address, r.UnlockAt.UTC().String()} {
			_, _ = h.Write([]byte(part + "\x00"))
		}
		contested := byte(0)
		if r.Contested {
			contested = 1
		}
		_, _ = h.Write([]byte{contested, byte(r.UnlockHeight), byte(r.UnlockHeight >> 8), byte(r.SpendableAfter)})
		sum ^= h.Sum64()
	}
	return sum
}

// asking are the transactions of a scan, each in one of three sets.
type asking struct {
	// now are in a block, or shown there.
	now map[string]bool
	// waiting are in no block, as far as is stored.
	waiting map[string]bool
	// fresh are shown in the pool, and no row knows them.
	fresh map[string]bool
}

// sorted puts each transaction where it belongs. What pays nothing is asked for only
// where it is stored.
func sorted(seen shown, rows map[Key]Row) asking {
	a := asking{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for key, s := range seen {
		_, stored := rows[key]
		switch {
		case !stored && !isPayment(s):
		case s.Height != 0:
			a.now[key.TxHash] = true
		case !stored:
			a.fresh[key.TxHash] = true
		}
	}
	for key, row := range rows {
		if row.Place.Height != nil {
			a.now[key.TxHash] = true
		} else {
			a.waiting[key.TxHash] = true
		}
	}
	maps.DeleteFunc(a.waiting, func(txHash string, _ bool) bool { return a.now[txHash] })
	return a
}

// choose names the transactions that the daemon is asked for, each once, and
// moves the round on. dropped are the rows of the page of dropped payments. A
// wallet may show a transaction in its pool for ever that has left the
// daemon's.
func (r round) choose(seen shown, rows map[Key]Row, dropped []Row) ([]string, round) {
	a := sorted(seen, rows)
	list := slices.Collect(maps.Keys(a.now))
	var some []string
	if some, r.fresh = page(a.fresh, r.fresh); r.fresh == behindAll {
		r.fresh = ""
	}
	list = append(list, some...)
	if r.on {
		for _, row := range dropped {
			list = append(list, row.TxHash)
			r.dropped = max(r.dropped, row.ID)
			delete(a.waiting, row.TxHash)
		}
		some, r.after = page(a.waiting, r.after)
		list = append(list, some...)
		if r.after == behindAll && len(dropped) < droppedPerScan {
			r.on, r.again, r.after, r.dropped = r.again, false, "", 0
		}
	}
	slices.Sort(list)
	return slices.Compact(list), r
}

// page is what follows after a hash, and the last of it; behindAll when nothing is
// left.
func page(hashes map[string]bool, after string) (list []string, last string) {
	for _, h := range slices.Sorted(maps.Keys(hashes)) {
		if h <= after {
			continue
		}
		if len(list) == waitingPerScan {
			return list, list[len(list)-1]
		}
		list = append(list, h)
	}
	return list, behindAll
}
