package watch

import (
	"hash/fnv"
	"maps"
	"slices"
	"time"
)

// Anyone can send payments, so many of them can wait for a block. The daemon is
// asked for them in rounds.
//
// A round begins when the tip or the wallet's view of its pool has changed, and at
// the latest waitingEvery after the previous round began. Each scan of a round asks
// for a page of at most waitingPerScan transactions, in the order of their hashes,
// and for a page of payments that were dropped recently.
//
// Every scan asks at once for all payments that are stored or shown in a block, and
// for a page of the payments that are not stored yet.
const (
	waitingEvery   = 30 * time.Second
	waitingPerScan = 100
)

// round is a watcher's progress with payments that wait for a block.
type round struct {
	// on reports whether a round is running, and again whether another round follows it.
	on, again bool
	begun     time.Time
	// tip and pool are those that the last scan saw. pool is a hash of all that the
	// wallet showed in the pool.
	tip  string
	pool uint64
	// The round has asked for transactions up to after, for dropped payments up to the
	// row dropped, and for payments that are not stored up to the transaction fresh.
	after   string
	dropped int64
	fresh   string
}

// behindAll is a text that sorts after every hash.
const behindAll = "\xff"

// enter begins a round when one is due.
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

// unfinished reports whether a page of the round remains for the next scan.
func (r round) unfinished() bool { return r.on || r.fresh != "" }

// pool returns a number that changes when the wallet's view of the pool changes.
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

// asking are the transactions of a scan, divided into three sets.
type asking struct {
	// now are stored or shown in a block.
	now map[string]bool
	// waiting are stored as being in no block.
	waiting map[string]bool
	// fresh are shown in the pool and not stored.
	fresh map[string]bool
}

// sorted puts each transaction into its set. It includes a payment of nothing only
// if it is stored.
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

// choose returns the transactions for which the daemon is asked, each once, and the
// advanced round. dropped are the rows of the page of dropped payments. All waiting
// payments are asked for, because a wallet may show a transaction in its pool for
// ever that the daemon has dropped.
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

// page returns the next page of hashes after a hash, and the last hash of the page.
// The last hash is behindAll if no more hashes follow.
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
