package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/trade"
)

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
}

// Offer is a quote and the inventory that it is based on.
type Offer struct {
	trade.Quote

	Inventory trade.Inventory
}

// Quote prices an amount of a pair now. If that is impossible, it returns
// trade.LimitError, trade.ErrUnfillable, ErrBlind or ErrStale.
func (d *Quoter) Quote(ctx context.Context, q BalanceReader, p Pair, amount money.Decimal, markupBP int64, now time.Time) (Offer, error) {
	market, inventory, err := d.open(ctx, q, p, now)
	if err != nil {
		return Offer{}, err
	}
	quote, err := market.Price(amount, markupBP)
	return Offer{quote, inventory}, stale(err)
}

// Limits returns the amounts of a pair that can be swapped now. The maximum is
// 0 when no amount can be. It returns ErrStale and ErrBlind as Quote does.
func (d *Quoter) Limits(ctx context.Context, q BalanceReader, p Pair, now time.Time) (trade.Limits, error) {
	market, _, err := d.open(ctx, q, p, now)
	if err != nil {
		return trade.Limits{}, err
	}
	limits, err := market.Limits()
	return limits, stale(err)
}

// stale turns an unusable price into ErrStale.
func stale(err error) error {
	if errors.Is(err, trade.ErrPrice) {
		return ErrStale
	}
	return err
}

// Inventory returns how much there is of a coin, and how much of it is
// reserved.
func (d *Quoter) Inventory(ctx context.Context, q BalanceReader, c Coin) (trade.Inventory, error) {
	wallet, err := q.GetWallet(ctx, c.WalletID)
	if err != nil {
		return trade.Inventory{}, err
	}
	return d.inventory(ctx, q, c, wallet)
}

func (d *Quoter) inventory(ctx context.Context, q BalanceReader, c Coin, wallet db.Wallet) (trade.Inventory, error) {
	reserved, err := q.ReservedInventory(ctx, c.WalletID)
	return trade.Inventory{
		Unlocked: wallet.Unlocked, Reserved: reserved.Reserved, Unfunded: reserved.Unfunded,
		FeeAllowance:    wallet.NetworkFee.Mul(money.DecimalFromInt(feesReserved)),
		UnfundedPercent: d.UnfundedPercent, ClientPercent: d.ClientPercent,
	}, err
}

// open returns the pair's market now, and the inventory of the wallet that pays.
func (d *Quoter) open(ctx context.Context, q BalanceReader, p Pair, now time.Time) (trade.Market, trade.Inventory, error) {
	if _, err := d.watched(ctx, q, p.From, now); err != nil {
		return trade.Market{}, trade.Inventory{}, err
	}
	to, err := d.watched(ctx, q, p.To, now)
	if err != nil {
		return trade.Market{}, trade.Inventory{}, err
	}
	inventory, err := d.inventory(ctx, q, p.To, to)
	if err != nil {
		return trade.Market{}, inventory, err
	}
	market, err := d.market(p)
	market.NetworkFee, market.Free = to.NetworkFee, inventory.Quotable()
	return market, inventory, err
}

// watched returns a wallet that was scanned recently, else ErrBlind: without
// scans, deposits are not noticed and the inventory is a guess. It also returns
// ErrBlind in safe mode, because the wallet then sends nothing.
func (d *Quoter) watched(ctx context.Context, q BalanceReader, c Coin, now time.Time) (db.Wallet, error) {
	wallet, err := q.GetWallet(ctx, c.WalletID)
	if postgres.IsNotFound(err) {
		return wallet, ErrBlind
	}
	if err == nil && (wallet.SafeMode || wallet.BalanceCurrentAt == nil || now.Sub(*wallet.BalanceCurrentAt) > maxBlind) {
		return wallet, ErrBlind
	}
	return wallet, err
}
