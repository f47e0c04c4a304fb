package exchange

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/rates"
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

// Errors of the quoter, in addition to those of package trade.
var (
	// ErrStale is returned when there is no usable price.
	ErrStale = errors.New("the price is stale")
	// ErrBlind is returned when a wallet is unknown, was not scanned recently
	// enough, or is in safe mode.
	ErrBlind = errors.New("a wallet of the pair is not watched")
)

// maxBlind is how long the last scan of a wallet counts.
const maxBlind = 2 * time.Minute

// feesReserved is the number of payments for which chain fees are kept back.
const feesReserved = 20

// Quoter quotes swaps. It is safe for concurrent use.
type Quoter struct {
	Settings

	// Market returns a coin's order book in USD, from memory.
	Market func(ticker string) (rates.Book, error)
	// Fanout asks the other providers; nil when there are none.
	Fanout *provider.Fanout

	snapshots snapshots
}

// Offer is a quote and the inventory that it is based on.
type Offer struct {
	trade.Quote

	Inventory trade.Inventory
}

// Quote prices an amount of a pair now. If that is impossible, it returns
// trade.LimitError, trade.ErrUnfillable, ErrBlind or ErrStale.
func (d *Quoter) Quote(ctx context.Context, q BalanceReader, p Pair, amount money.Decimal, markupBP int64, now time.Time) (Offer, error) {
	o, err := d.open(ctx, q, p, now)
	if err != nil {
		return Offer{}, err
	}
	return o.price(amount, markupBP)
}

func (s snapshot) price(amount money.Decimal, markupBP int64) (Offer, error) {
	quote, err := s.pricing.Price(amount, markupBP)
	if errors.Is(err, trade.ErrPrice) {
		err = ErrStale
	}
	return Offer{quote, s.inventory}, err
}

// Limits returns the amounts of a pair that can be swapped now. The maximum is
// 0 when no amount can be. It returns ErrStale and ErrBlind as Quote does.
func (d *Quoter) Limits(ctx context.Context, q BalanceReader, p Pair, now time.Time) (trade.Limits, error) {
	o, err := d.open(ctx, q, p, now)
	return o.pricing.Limits, err
}

// Inventory returns how much there is of a coin, and how much of it is
// reserved.
func (d *Quoter) Inventory(ctx context.Context, q BalanceReader, c Coin) (trade.Inventory, error) {
	wallet, err := q.GetExchangeWallet(ctx, c.WalletID)
	if err != nil {
		return trade.Inventory{}, err
	}
	return d.inventory(ctx, q, c, wallet)
}

func (d *Quoter) inventory(ctx context.Context, q BalanceReader, c Coin, wallet db.ExchangeWallet) (trade.Inventory, error) {
	reserved, err := q.ReservedInventory(ctx, c.WalletID)
	return d.inventoryOf(wallet, reserved), err
}

func (d *Quoter) inventoryOf(wallet db.ExchangeWallet, reserved db.ReservedInventoryRow) trade.Inventory {
	return trade.Inventory{
		Unlocked: wallet.Unlocked, Reserved: reserved.Reserved, Unfunded: reserved.Unfunded,
		FeeAllowance:    wallet.NetworkFee.Mul(money.DecimalFromInt(feesReserved)),
		UnfundedPercent: d.UnfundedPercent, ClientPercent: d.ClientPercent,
	}
}

// open returns the current basis of the pair's prices.
func (d *Quoter) open(ctx context.Context, q BalanceReader, p Pair, now time.Time) (snapshot, error) {
	f, to, err := d.facts(ctx, q, p, now)
	if err != nil {
		return snapshot{}, err
	}
	return d.snapshots.of(p, f, func() (snapshot, error) { return d.snapshotAnew(f, to) })
}

// facts reads what determines the pair's prices now, and the wallet that pays.
func (d *Quoter) facts(ctx context.Context, q BalanceReader, p Pair, now time.Time) (facts, db.ExchangeWallet, error) {
	if _, err := d.watched(ctx, q, p.From, now); err != nil {
		return facts{}, db.ExchangeWallet{}, err
	}
	to, err := d.watched(ctx, q, p.To, now)
	if err != nil {
		return facts{}, to, err
	}
	f := facts{fee: to.NetworkFee, unlocked: to.Unlocked}
	if f.reserved, err = q.ReservedInventory(ctx, p.To.WalletID); err != nil {
		return f, to, err
	}
	f.market, err = d.market(p)
	return f, to, err
}

func (d *Quoter) snapshotAnew(f facts, to db.ExchangeWallet) (snapshot, error) {
	o := snapshot{facts: f, inventory: d.inventoryOf(to, f.reserved)}
	var err error
	market := f.market
	market.NetworkFee, market.Free = f.fee, o.inventory.Quotable()
	o.pricing, err = market.Open()
	if errors.Is(err, trade.ErrPrice) {
		err = ErrStale
	}
	return o, err
}

// watched returns a wallet that was scanned recently, else ErrBlind: without
// scans, deposits are not noticed and the inventory is a guess. It also returns
// ErrBlind in safe mode, because the wallet then sends nothing.
func (d *Quoter) watched(ctx context.Context, q BalanceReader, c Coin, now time.Time) (db.ExchangeWallet, error) {
	wallet, err := q.GetExchangeWallet(ctx, c.WalletID)
	if postgres.IsNotFound(err) {
		return wallet, ErrBlind
	}
	if err == nil && (wallet.SafeMode || wallet.BalanceCurrentAt == nil || now.Sub(*wallet.BalanceCurrentAt) > maxBlind) {
		return wallet, ErrBlind
	}
	return wallet, err
}
