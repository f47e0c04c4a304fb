package xmrwallet

import (
	"context"
	"sync"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
)

// lookAhead is how many more addresses are derived. Money at one of them shows that another
// copy of the database has given it out.
const lookAhead = 1000

// addresses has the public spend keys of the wallet's addresses: some fifty bytes of memory
// and twenty microseconds for each.
type addresses struct {
	view    *monero.Deriver
	highest func(ctx context.Context) (uint64, error)

	mu    sync.Mutex
	known map[scan.Key]uint32
}

// lookup is a scan.Lookup. The highest index is read after the transactions that are asked
// about, so an address that was given out before one of them was made is derived.
func (a *addresses) lookup(ctx context.Context, keys []scan.Key) (map[scan.Key]monero.Subaddress, error) {
	highest, err := a.highest(ctx)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for index := uint32(len(a.known)); uint64(index) <= highest+lookAhead; index++ {
		a.known[a.view.SpendKey(0, index)] = index
	}
	found := map[scan.Key]monero.Subaddress{}
	for _, key := range keys {
		if index, ours := a.known[key]; ours {
			found[key] = monero.Subaddress{Index: index, Address: a.view.Subaddress(0, index)}
		}
	}
	return found, nil
}
