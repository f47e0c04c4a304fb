package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider/fanout"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/trade"
)

// Errors of the quoter, beside those of package trade.
var (
	// ErrStale says that no usable price is known.
	ErrStale = errors.New("the price is stale")
	// ErrBlind says that a wallet was not looked at for too long, or is in safe
	// mode.
	ErrBlind = errors.New("a wallet of the pair is not watched")
)

// maxBlind is for how long the last look at a wallet counts.
const maxBlind = 2 * time.Minute

// feesReserved is for how many payments the chain fees are kept back.
const feesReserved = 20

// Quoter quotes swaps. It is safe for concurrent use.
type Quoter struct {
	Settings

	// Market is where a coin stands in USD, from memory.
	Market func(ticker string) (rates.Book, error)
	// Fanout has the other providers; nil when there are none.
	Fanout *fanout.Fanout

	snapshots snapshots
}

// Offer is a quote with the inventory that it was made on.
type Offer struct {
	trade.Quote

	Inventory trade.Inventory
}

// Quote prices an amount of a pair now: trade.LimitError, trade.ErrUnfillable,
// ErrBlind or ErrStale when that cannot be done.
func (d *Quoter) Quote(ctx context.Context, q BalanceReader, p Pair, amount money.Decimal, markupBP int64, now time.Time) (Offer, error) {
	o, err := d.open(ctx, q, p, now)
	if err != nil {
		return Offer{}, err
	}
	quote, err := o.pricing.Price(amount, markupBP)
	if errors.Is(err, trade.ErrPrice) {
		err = ErrStale
	}
	return Offer{quote, o.inventory}, err
}

// Limits are what can be swapped of a pair now; the maximum is 0 when nothing
// can. ErrStale and ErrBlind as for Quote.
func (d *Quoter) Limits(ctx context.Context, q BalanceReader, p Pair, now time.Time) (trade.Limits, error) {
	o, err := d.open(ctx, q, p, now)
	return o.pricing.Limits, err
}

// Inventory is what there is of a coin and what is kept of it.
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

// open reads what the pair's prices are made of now.
func (d *Quoter) open(ctx context.Context, q BalanceReader, p Pair, now time.Time) (snapshot, error) {
	if _, err := d.watched(ctx, q, p.From, now); err != nil {
		return snapshot{}, err
	}
	to, err := d.watched(ctx, q, p.To, now)
	if err != nil {
		return snapshot{}, err
	}
	f := facts{fee: to.NetworkFee, unlocked: to.Unlocked}
	if f.reserved, err = q.ReservedInventory(ctx, p.To.WalletID); err != nil {
		return snapshot{}, err
	}
	if f.market, err = d.market(p); err != nil {
		return snapshot{}, err
	}
	return d.snapshots.of(p, f, func() (snapshot, error) { return d.snapshotAnew(f, to) })
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

// watched is a wallet that was scanned lately. Deposits to any other would not
// be noticed, and its inventory is a guess. A wallet in safe mode sends
// nothing.
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
