package exchange

import (
	"sync"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// facts decide, with the settings, on every price of a pair.
type facts struct {
	unlocked, fee money.Decimal
	kept          db.ReservedInventoryRow
	// market is without inventory and network fee.
	market trade.Market
}

func (f facts) equal(o facts) bool {
	return f.unlocked.Cmp(o.unlocked) == 0 && f.fee.Cmp(o.fee) == 0 && f.kept.Reserved.Cmp(o.kept.Reserved) == 0 &&
		f.kept.Unfunded.Cmp(o.kept.Unfunded) == 0 && f.market.USDFrom.Cmp(o.market.USDFrom) == 0 &&
		f.market.USDTo.Cmp(o.market.USDTo) == 0 && f.market.SpreadBP == o.market.SpreadBP
}

// opening is what follows from facts for any amount.
type opening struct {
	facts

	pricing   trade.Pricing
	inventory trade.Inventory
}

// openings keep the last opening of each pair: while its facts stay as they
// are, so does what follows from them. The zero value is empty.
type openings struct {
	mu   sync.RWMutex
	last map[way]opening
}

// way is a pair by its wallets.
type way struct{ from, to string }

// of is the opening that these facts make, from memory or anew.
func (o *openings) of(p Pair, f facts, anew func() (opening, error)) (opening, error) {
	key := way{p.From.WalletID, p.To.WalletID}
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
		o.last = map[way]opening{}
	}
	o.last[key] = made
	return made, nil
}
