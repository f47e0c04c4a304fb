package exchange

import (
	"sync"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// facts determine every price of a pair, together with the settings.
type facts struct {
	unlocked, fee money.Decimal
	reserved      db.ReservedInventoryRow
	// market has no inventory and no network fee.
	market trade.Market
}

func (f facts) equal(o facts) bool {
	return f.unlocked.Cmp(o.unlocked) == 0 && f.fee.Cmp(o.fee) == 0 && f.reserved.Reserved.Cmp(o.reserved.Reserved) == 0 &&
		f.reserved.Unfunded.Cmp(o.reserved.Unfunded) == 0 && f.market.USDFrom.Cmp(o.market.USDFrom) == 0 &&
		f.market.USDTo.Cmp(o.market.USDTo) == 0 && f.market.SpreadBP == o.market.SpreadBP
}

// snapshot holds the results that follow from facts for any amount.
type snapshot struct {
	facts

	pricing   trade.Pricing
	inventory trade.Inventory
}

// snapshots keeps the last snapshot of each pair, which is valid while its
// facts do not change. The zero value is empty.
type snapshots struct {
	mu   sync.RWMutex
	last map[direction]snapshot
}

// direction identifies a pair by its wallets.
type direction struct{ from, to string }

// of returns the snapshot for these facts from memory, or makes it if they have
// changed.
func (o *snapshots) of(p Pair, f facts, anew func() (snapshot, error)) (snapshot, error) {
	key := direction{p.From.WalletID, p.To.WalletID}
	o.mu.RLock()
	known, ok := o.last[key]
	o.mu.RUnlock()
	if ok && known.equal(f) {
		return known, nil
	}
	made, err := anew()
	if err != nil {
		return made, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last == nil {
		o.last = map[direction]snapshot{}
	}
	o.last[key] = made
	return made, nil
}
