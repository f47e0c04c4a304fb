package chain_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
)

// scenarioWaiting leaves payments in the pool and counts the calls of a scan. While
// nothing changes, a scan makes as many calls as without the payments. In a round it
// makes at most one more call for each payment, and three. For Monero it is one payment,
// because the payer would spend the same output for a second one.
func scenarioWaiting(t *testing.T, b *bench) {
	many := map[string]int{"xmr": 1, "ltc": 15}[b.ticker]
	var asked atomic.Int64
	f := follow(b.watched(t, func() { asked.Add(1) }))
	now := time.Now()
	f.Clock = func() time.Time { return now }
	scan := func() int64 {
		t.Helper()
		before := asked.Load()
		eventually(t, func(ctx context.Context) (struct{}, error) { return struct{}{}, f.scan(ctx) })
		return asked.Load() - before
	}
	b.mine(t, 1)
	rest := scan()
	for f.store.At.Hash != b.tip(t).Hash {
		rest = scan()
	}
	for begun, next := time.Now(), scan(); next != rest; next = scan() {
		require.Less(t, time.Since(begun), maxWait, "it does not come to rest")
		rest = next
	}
	address := b.address(t)
	hashes := map[string]bool{}
	for range many {
		hashes[b.pay(t, address, b.unit()/100).hash] = true
	}
	waiting := func() (n int) {
		for _, p := range f.store.Payments {
			if hashes[p.TxHash] && p.Place.Height == nil && !p.Place.Dropped {
				n++
			}
		}
		return n
	}
	for begun := time.Now(); waiting() < many; scan() {
		require.Less(t, time.Since(begun), maxWait, "%d of %d are seen", waiting(), many)
	}
	for begun := time.Now(); scan() != rest; {
		require.Less(t, time.Since(begun), maxWait, "it does not come to rest")
	}
	now = now.Add(time.Minute)
	require.LessOrEqual(t, scan(), rest+int64(many)+3, "one question for each, or one for all, and whether the tip is what it was")
	for begun := time.Now(); scan() != rest; {
		require.Less(t, time.Since(begun), maxWait, "it does not come to rest")
	}
	b.mine(t, 1)
	for begun := time.Now(); waiting() > 0; scan() {
		require.Less(t, time.Since(begun), maxWait, "%d are not mined", waiting())
		b.mine(t, 1)
	}
	for hash := range hashes {
		d, err := b.deposit(t, hash, address)
		require.NoError(t, err)
		require.NotEqual(t, chain.Deposit{}, d)
	}
	b.mine(t, 12)
}
