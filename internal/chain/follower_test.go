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
	"github.com/durapay/durapay/internal/watch/memory"
)

// follower watches a wallet as the service does, and remembers every state that a
// deposit was in.
type follower struct {
	*watch.Watcher

	store *memory.Store
	last  map[watch.Key]chain.Deposit
	// told are the states, in their order. A cursor is a number of them.
	told []chain.Deposit
}

func follow(w chain.Wallet) *follower {
	store := memory.New()
	return &follower{
		Watcher: &watch.Watcher{
			Wallet: w, Store: store, Clock: time.Now, OlderFile: func(context.Context) error { return nil },
		},
		store: store, last: map[watch.Key]chain.Deposit{},
	}
}

// scan scans once and notes what is different.
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
	f.told = append(f.told, changed...)
	return nil
}

// depositOf is a stored payment as seen from the last scan's tip. So deep that
// nothing is followed any more it stays as it is.
func (f *follower) depositOf(p *memory.Payment) chain.Deposit {
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

// news are the states since a cursor, after one more scan.
func (b *bench) news(t *testing.T, since int) []chain.Deposit {
	t.Helper()
	patiently(t, func(ctx context.Context) (struct{}, error) { return struct{}{}, b.follower.scan(ctx) })
	return b.follower.told[since:]
}

// await scans until a deposit is as wanted since a cursor, and returns it with the
// cursor of now.
func (b *bench) await(t *testing.T, since int, what string, wanted func(chain.Deposit) bool) (chain.Deposit, int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		for _, d := range b.news(t, since) {
			if wanted(d) {
				return d, len(b.follower.told)
			}
		}
		time.Sleep(50 * time.Millisecond) // a chain tells nobody of its blocks: it is scanned
	}
	require.Fail(t, "no such deposit: "+what, "%+v", b.follower.told[since:])
	return chain.Deposit{}, 0
}

// now is the cursor after everything was told.
func (b *bench) now(t *testing.T) int {
	t.Helper()
	for begun := time.Now(); ; {
		before := len(b.follower.told)
		news := b.news(t, before)
		if len(news) == 0 {
			return before
		}
		require.Less(t, time.Since(begun), patience, "there is always news: %+v", news)
	}
}

// afresh is what a watcher finds that begins with nothing and reads the chain in
// pages of so many blocks.
func (b *bench) afresh(t *testing.T, page uint64) []chain.Deposit {
	t.Helper()
	f := follow(b.wallet)
	f.PageBlocks = page
	tip := b.tip(t)
	for f.store.At.Height <= tip.Height {
		patiently(t, func(ctx context.Context) (struct{}, error) { return struct{}{}, f.scan(ctx) })
	}
	list := slices.Collect(maps.Values(f.last))
	slices.SortFunc(list, func(a, b chain.Deposit) int {
		return cmp.Or(strings.Compare(a.TxHash, b.TxHash), strings.Compare(a.Address, b.Address))
	})
	return list
}
