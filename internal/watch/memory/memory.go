// Package memory is a watch.Store in memory, for tests: what the stores of
// merchants' and the exchange's wallets must do, without a database.
package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/watch"
)

// Payment is a stored payment.
type Payment struct {
	watch.Row

	Received  chain.Received
	DroppedAt time.Time
	Mature    bool
}

// Store keeps payments of a wallet. It is not safe for concurrent use.
type Store struct {
	// Required is how many confirmations make a payment mature.
	Required uint64
	// Highest is the highest number of an address.
	Highest uint64

	At          watch.State
	Payments    map[watch.Key]*Payment
	Checkpoints map[uint64]string
	// Notified are the payments that a scan enqueued notifications for, in the
	// order of the scans.
	Notified []watch.Key
}

// New is an empty store.
func New() *Store {
	return &Store{Required: 10, Payments: map[watch.Key]*Payment{}, Checkpoints: map[uint64]string{}}
}

// State is up to where it was read.
func (s *Store) State(context.Context) (watch.State, error) { return s.At, nil }

// Key is the transaction and the address.
func (s *Store) Key(r chain.Received) watch.Key {
	return watch.Key{TxHash: r.TxHash, Address: r.Address}
}

// Watched are the wanted rows.
func (s *Store) Watched(_ context.Context, w watch.Wanted) ([]watch.Row, error) {
	var rows []watch.Row
	var dropped []watch.Row
	for _, p := range s.Payments {
		switch h := p.Place.Height; {
		case p.Place.Dropped:
			if p.ID > w.DroppedAfter && p.DroppedAt.After(w.DroppedSince) {
				dropped = append(dropped, p.Row)
			}
		case h == nil, *h >= w.From && *h <= w.To, !p.Mature && s.matureAt(p) <= w.Height && !p.Received.UnlockAt.After(w.Now):
			rows = append(rows, p.Row)
		}
	}
	slices.SortFunc(dropped, func(a, b watch.Row) int { return int(a.ID - b.ID) })
	return append(rows, dropped[:min(len(dropped), w.DroppedLimit)]...), nil
}

func (s *Store) matureAt(p *Payment) uint64 {
	return max(*p.Place.Height+max(s.Required, p.Received.SpendableAfter), p.Received.UnlockHeight)
}

// Find are the rows of transactions.
func (s *Store) Find(_ context.Context, txHashes []string) ([]watch.Row, error) {
	var rows []watch.Row
	for _, p := range s.Payments {
		if slices.Contains(txHashes, p.TxHash) {
			rows = append(rows, p.Row)
		}
	}
	return rows, nil
}

// Checkpoint is the highest below a height.
func (s *Store) Checkpoint(_ context.Context, below uint64) (height uint64, hash string, err error) {
	for h, text := range s.Checkpoints {
		if h < below && h > height {
			height, hash = h, text
		}
	}
	return height, hash, nil
}

// AwaitRescan notes that the wallet must read the chain anew.
func (s *Store) AwaitRescan(context.Context) error {
	s.At = watch.State{ScannedAt: s.At.ScannedAt, Rescan: true}
	return nil
}

// Rescanned notes that it did.
func (s *Store) Rescanned(context.Context) error {
	s.At.Rescan = false
	return nil
}

// HighestRef is the highest number of an address.
func (s *Store) HighestRef(context.Context) (uint64, error) { return s.Highest, nil }

// Save stores a scan, or nothing where another has come first.
func (s *Store) Save(_ context.Context, f watch.Scanned) error {
	if s.At.ScannedAt != f.Before.ScannedAt || s.At.Hash != f.Before.Hash {
		return watch.ErrSuperseded
	}
	for _, p := range f.New {
		key := s.Key(p.Received)
		if s.Payments[key] != nil {
			return fmt.Errorf("%v is new twice", key)
		}
		lock := watch.LockOf(p.Received)
		s.Payments[key] = &Payment{
			Row:      watch.Row{ID: int64(len(s.Payments) + 1), TxHash: p.TxHash, Address: p.Address, Amount: p.Amount, Place: p.Place, Lock: &lock},
			Received: p.Received,
		}
		s.Notified = append(s.Notified, key)
	}
	for _, r := range f.Relocked {
		lock := watch.LockOf(r)
		s.Payments[s.Key(r)].Received, s.Payments[s.Key(r)].Lock = r, &lock
	}
	for _, r := range f.Revalued {
		s.Payments[r.Row.Key()].Amount = r.Amount
	}
	for _, m := range f.Moved {
		p := s.Payments[m.Row.Key()]
		p.Place, p.Mature = m.To, false
		if m.To.Dropped {
			p.DroppedAt = f.Now
		}
		s.Notified = append(s.Notified, m.Row.Key())
	}
	s.mature(f)
	if f.After.Settled < f.Before.Settled {
		for h := range s.Checkpoints {
			if h > f.After.Settled {
				delete(s.Checkpoints, h)
			}
		}
	}
	if f.Checkpoint.Height > 0 {
		s.Checkpoints[f.Checkpoint.Height] = f.Checkpoint.Hash
	}
	s.At = f.After
	return nil
}

func (s *Store) mature(f watch.Scanned) {
	for key, p := range s.Payments {
		if p.Mature || p.Place.Height == nil || s.matureAt(p) > f.After.Height || p.Received.UnlockAt.After(f.Now) {
			continue
		}
		if slices.Contains(f.Located, p.TxHash) {
			p.Mature = true
			s.Notified = append(s.Notified, key)
		}
	}
}
