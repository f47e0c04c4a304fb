// Package watchtest has a watch.Store in memory and a publisher, for tests.
package watchtest

import (
	"context"
	"fmt"
	"maps"
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

// Store keeps payments of a wallet. It does the same as the table
// received_payments, without a database. It is not safe for concurrent use.
type Store struct {
	// Required is the number of confirmations after which a payment is mature.
	Required uint64
	// Highest is the highest number of an address.
	Highest uint64

	At          watch.State
	Payments    map[watch.Key]*Payment
	Checkpoints map[uint64]string
	// Notified are the payments for which a scan enqueued notifications, in the
	// order of the scans.
	Notified []watch.Key
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{Required: 10, Payments: map[watch.Key]*Payment{}, Checkpoints: map[uint64]string{}}
}

// State returns the height up to which the chain was read.
func (s *Store) State(context.Context) (watch.State, error) { return s.At, nil }

// Watched returns the wanted rows.
func (s *Store) Watched(_ context.Context, w watch.RowQuery) ([]watch.Row, error) {
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

// Find returns the rows of transactions.
func (s *Store) Find(_ context.Context, txHashes []string) ([]watch.Row, error) {
	var rows []watch.Row
	for _, p := range s.Payments {
		if slices.Contains(txHashes, p.TxHash) {
			rows = append(rows, p.Row)
		}
	}
	return rows, nil
}

// Checkpoint returns the highest checkpoint below a height.
func (s *Store) Checkpoint(_ context.Context, below uint64) (height uint64, hash string, err error) {
	for h, text := range s.Checkpoints {
		if h < below && h > height {
			height, hash = h, text
		}
	}
	return height, hash, nil
}

// FirstCheckpoint returns the height of the lowest checkpoint.
func (s *Store) FirstCheckpoint(context.Context) (uint64, error) {
	if len(s.Checkpoints) == 0 {
		return 0, nil
	}
	return slices.Min(slices.Collect(maps.Keys(s.Checkpoints))), nil
}

// AwaitRescan records that the wallet must read the chain again.
func (s *Store) AwaitRescan(context.Context) error {
	s.At = watch.State{ScannedAt: s.At.ScannedAt, Rescan: true}
	return nil
}

// Rescanned records that the wallet has read it.
func (s *Store) Rescanned(_ context.Context, upTo uint64) error {
	if s.Highest > upTo {
		return watch.ErrSuperseded
	}
	s.At.Rescan = false
	return nil
}

// HighestRef returns the highest number of an address.
func (s *Store) HighestRef(context.Context) (uint64, error) { return s.Highest, nil }

// Save stores a scan. It returns watch.ErrSuperseded and stores nothing if
// another scan was stored first.
func (s *Store) Save(_ context.Context, f watch.Scanned) error {
	if s.At.ScannedAt != f.Before.ScannedAt || s.At.Hash != f.Before.Hash {
		return watch.ErrSuperseded
	}
	for _, p := range f.New {
		key := watch.KeyOf(p.Received)
		if s.Payments[key] != nil {
			return fmt.Errorf("%v is new twice", key)
		}
		s.Payments[key] = &Payment{
			Row:      watch.Row{ID: int64(len(s.Payments) + 1), TxHash: p.TxHash, Address: p.Address, Amount: p.Amount, Place: p.Place, Lock: watch.LockOf(p.Received)},
			Received: p.Received,
		}
		s.Notified = append(s.Notified, key)
	}
	for _, r := range f.Relocked {
		p := s.Payments[watch.KeyOf(r)]
		p.Received, p.Lock = r, watch.LockOf(r)
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
