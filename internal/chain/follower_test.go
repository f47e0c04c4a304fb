package chain_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/watch/watchtest"
)

// follower watches a wallet as the service does, and records every state of each
// deposit.
type follower struct {
	*watch.Watcher

	store *watchtest.Store
	last  map[watch.Key]chain.Deposit
	// states are the states in their order. A cursor is a number of them.
	states []chain.Deposit
}

func follow(w chain.Wallet) *follower {
	store := watchtest.NewStore()
	return &follower{
		Watcher: &watch.Watcher{
			Wallet: w, Store: store, Clock: time.Now, OlderFile: func(context.Context) error { return nil },
		},
		store: store, last: map[watch.Key]chain.Deposit{},
	}
}

// scan scans once and records the differences.
func (f *follower) scan(ctx context.Context) error {
	if _, err := f.Scan(ctx); err != nil {
		return err
	}
	var changed []chain.Deposit
	for key, p := range f.store.Payments {
		d := f.depositOf(p)
		if was, known := f.last[key]; !known || !alike(was, d) {
			f.last[key] = d
			changed = append(changed, d)
		}
	}
	slices.SortFunc(changed, func(a, b chain.Deposit) int { return strings.Compare(a.TxHash, b.TxHash) })
	f.states = append(f.states, changed...)
	return nil
}

// depositOf returns a stored payment as seen from the last scan's tip. A payment
// that is too deep to be followed keeps its last state.
func (f *follower) depositOf(p *watchtest.Payment) chain.Deposit {
	d := chain.Deposit{
		TxHash: p.TxHash, Address: p.Address, Amount: p.Received.Amount, Missing: p.Place.Dropped, Contested: p.Place.Contested,
		Locked: p.Received.SpendableAfter > 0, Seen: p.Received.Seen,
	}
	if h := p.Place.Height; h != nil {
		height := f.store.At.Height
		d.Height, d.Confirmations = *h, height-*h
		d.Locked = max(*h+p.Received.SpendableAfter, p.Received.UnlockHeight) > height
		if !d.Locked {
			d.Confirmations = min(d.Confirmations, chain.Depth+1)
		}
	}
	return d
}

func alike(a, b chain.Deposit) bool {
	return a.Height == b.Height && a.Confirmations == b.Confirmations && a.Amount == b.Amount && a.Locked == b.Locked &&
		a.Contested == b.Contested && a.Missing == b.Missing
}

// changes scans once more and returns the states after a cursor.
func (b *bench) changes(t *testing.T, since int) []chain.Deposit {
	t.Helper()
	eventually(t, func(ctx context.Context) (struct{}, error) { return struct{}{}, b.follower.scan(ctx) })
	return b.follower.states[since:]
}

// await scans until a state since the cursor matches, and returns that
// state with the current cursor.
func (b *bench) await(t *testing.T, since int, what string, matches func(chain.Deposit) bool) (chain.Deposit, int) {
	t.Helper()
	deadline := time.Now().Add(maxWait)
	for time.Now().Before(deadline) {
		for _, d := range b.changes(t, since) {
			if matches(d) {
				return d, len(b.follower.states)
			}
		}
		time.Sleep(50 * time.Millisecond) // a chain does not announce its blocks here, so the test scans
	}
	require.Fail(t, "no such deposit: "+what, "%+v", b.follower.states[since:])
	return chain.Deposit{}, 0
}

// now returns the cursor after all current states.
func (b *bench) now(t *testing.T) int {
	t.Helper()
	for begun := time.Now(); ; {
		before := len(b.follower.states)
		changes := b.changes(t, before)
		if len(changes) == 0 {
			return before
		}
		require.Less(t, time.Since(begun), maxWait, "there is always news: %+v", changes)
	}
}

// afresh returns the deposits that a new watcher finds when it reads the chain in
// pages of this many blocks.
func (b *bench) afresh(t *testing.T, page uint64) []chain.Deposit {
	t.Helper()
	f := follow(b.wallet)
	f.PageBlocks = page
	tip := b.tip(t)
	for f.store.At.Height <= tip.Height {
		eventually(t, func(ctx context.Context) (struct{}, error) { return struct{}{}, f.scan(ctx) })
	}
	list := slices.Collect(maps.Values(f.last))
	slices.SortFunc(list, func(a, b chain.Deposit) int {
		return cmp.Or(strings.Compare(a.TxHash, b.TxHash), strings.Compare(a.Address, b.Address))
	})
	return list
}
