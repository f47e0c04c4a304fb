package exchange

import (
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/trade"
)

// basis is the number of basis points in a whole.
const basis = 10_000

// Rate returns how much one unit of the pair's first coin pays now at a markup
// in basis points, before the network fee. It returns ErrStale without a usable
// price.
func (d *Quoter) Rate(p Pair, markupBP int64) (money.Decimal, error) {
	m, err := d.market(p)
	if err != nil {
		return money.Decimal{}, err
	}
	rate, err := m.Rate(markupBP)
	return rate, stale(err)
}

// MidUSD returns the price of a coin halfway between bid and ask, to show next
// to a price. It returns the errors of Market.
func (d *Quoter) MidUSD(ticker string) (money.Decimal, error) {
	book, err := d.Market(ticker)
	return book.Mid(), err
}

// market returns the pair's market for the exchange, without inventory and
// network fee. It uses the side of each order book that the exchange trades
// against: the exchange sells the coin it received at the bid, and buys back the
// coin it pays at the ask. It returns ErrStale in three cases: there is no
// price, prices move by more than the largest spread covers, or the price
// sources differ by as much as the spread. In the last case one source may be
// wrong, and a customer's gain from it must be less than the exchange's spread.
func (d *Quoter) market(p Pair) (trade.Market, error) {
	from, err := d.Market(p.From.Ticker)
	if err != nil {
		return trade.Market{}, ErrStale
	}
	to, err := d.Market(p.To.Ticker)
	if err != nil {
		return trade.Market{}, ErrStale
	}
	spread, err := d.spreadBP(from, to)
	if err != nil {
		return trade.Market{}, err
	}
	return trade.Market{
		USDFrom: from.Bid, USDTo: to.Ask, DecimalsTo: p.To.Decimals, SpreadBP: spread, Min: p.Min, Max: p.Max, Step: p.Step,
	}, nil
}

// spreadBP returns the spread in force: the configured one plus the recent
// movement of the two prices.
func (d *Quoter) spreadBP(from, to rates.Book) (int64, error) {
	moved := from.VolatilityBP + to.VolatilityBP
	spread := d.SpreadBP + moved
	if moved > 0 && spread > d.MaxSpreadBP {
		return 0, ErrStale
	}
	if apart := togetherBP(from.BidDispersionBP, to.AskDispersionBP); apart > 0 && apart >= spread {
		return 0, ErrStale
	}
	return spread, nil
}

// togetherBP returns how far a rate can be off, rounded up, when its two prices
// can be off by these basis points.
func togetherBP(a, b int64) int64 {
	if max(a, b) >= basis { // twice the price and more: no spread covers it
		return basis
	}
	return a + b + (a*b+basis-1)/basis
}
