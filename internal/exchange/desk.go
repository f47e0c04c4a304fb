package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider/board"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/trade"
)

// Errors of the desk, beside those of package trade.
var (
	// ErrStale says that no usable price is known.
	ErrStale = errors.New("the price is stale")
	// ErrBlind says that a wallet was not looked at for too long, or is in safe
	// mode.
	ErrBlind = errors.New("a wallet of the pair is not watched")
)

// maxBlind is for how long the last look at a wallet counts.
const maxBlind = 2 * time.Minute

// feesKept is for how many payments the chain fees are kept back.
const feesKept = 20

// Desk quotes swaps. It is safe for concurrent use.
type Desk struct {
	Settings

	// Market is where a coin stands in USD, from memory.
	Market func(ticker string) (rates.Book, error)
	// Board has the other providers; nil when there are none.
	Board *board.Board

	openings openings
}

// Offer is a quote with the inventory that it was made on.
type Offer struct {
	trade.Quote

	Inventory trade.Inventory
}

// Quote prices an amount of a pair now: trade.LimitError, trade.ErrUnfillable,
// ErrBlind or ErrStale when that cannot be done.
func (d *Desk) Quote(ctx context.Context, q Books, p Pair, amount money.Decimal, markupBP int64, now time.Time) (Offer, error) {
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
func (d *Desk) Limits(ctx context.Context, q Books, p Pair, now time.Time) (trade.Limits, error) {
	o, err := d.open(ctx, q, p, now)
	return o.pricing.Limits, err
}

// Inventory is what there is of a coin and what is kept of it.
func (d *Desk) Inventory(ctx context.Context, q Books, c Coin) (trade.Inventory, error) {
	wallet, err := q.GetExchangeWallet(ctx, c.WalletID)
	if err != nil {
		return trade.Inventory{}, err
	}
	return d.inventory(ctx, q, c, wallet)
}

func (d *Desk) inventory(ctx context.Context, q Books, c Coin, wallet db.ExchangeWallet) (trade.Inventory, error) {
	kept, err := q.ReservedInventory(ctx, c.WalletID)
	return d.inventoryOf(wallet, kept), err
}

func (d *Desk) inventoryOf(wallet db.ExchangeWallet, kept db.ReservedInventoryRow) trade.Inventory {
	return trade.Inventory{
		Unlocked: wallet.Unlocked, Reserved: kept.Reserved, Unfunded: kept.Unfunded,
		FeeAllowance:    wallet.NetworkFee.Mul(money.DecimalFromInt(feesKept)),
		UnfundedPercent: d.UnfundedPercent, ClientPercent: d.ClientPercent,
	}
}

// open reads what the pair's prices are made of now.
func (d *Desk) open(ctx context.Context, q Books, p Pair, now time.Time) (opening, error) {
	if _, err := d.watched(ctx, q, p.From, now); err != nil {
		return opening{}, err
	}
	to, err := d.watched(ctx, q, p.To, now)
	if err != nil {
		return opening{}, err
	}
	f := facts{fee: to.NetworkFee, unlocked: to.Unlocked}
	if f.kept, err = q.ReservedInventory(ctx, p.To.WalletID); err != nil {
		return opening{}, err
	}
	if f.market, err = d.market(p); err != nil {
		return opening{}, err
	}
	return d.openings.of(p, f, func() (opening, error) { return d.openAnew(f, to) })
}

func (d *Desk) openAnew(f facts, to db.ExchangeWallet) (opening, error) {
	o := opening{facts: f, inventory: d.inventoryOf(to, f.kept)}
	var err error
	market := f.market
	market.NetworkFee, market.Free = f.fee, o.inventory.Quotable()
	o.pricing, err = market.Open()
	if errors.Is(err, trade.ErrPrice) {
		err = ErrStale
	}
	return o, err
}

// watched is a wallet that was looked at lately: deposits to another would not
// be noticed, and its inventory is a guess. One in safe mode sends nothing.
func (d *Desk) watched(ctx context.Context, q Books, c Coin, now time.Time) (db.ExchangeWallet, error) {
	wallet, err := q.GetExchangeWallet(ctx, c.WalletID)
	if postgres.IsNotFound(err) {
		return wallet, ErrBlind
	}
	if err == nil && (wallet.SafeMode || wallet.LookedAt == nil || now.Sub(*wallet.LookedAt) > maxBlind) {
		return wallet, ErrBlind
	}
	return wallet, err
}
