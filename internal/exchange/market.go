package exchange

import (
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/trade"
)

// basis is the number of basis points in a whole.
const basis = 10_000

// Rate is what one unit of the pair's first coin pays now at a markup in basis
// points, the network fee aside; ErrStale without a usable price.
func (d *Quoter) Rate(p Pair, markupBP int64) (money.Decimal, error) {
	m, err := d.market(p)
	if err != nil {
		return money.Decimal{}, err
	}
	rate, err := m.Rate(markupBP)
	if err != nil {
		return money.Decimal{}, ErrStale
	}
	return rate, nil
}

// MidUSD is what a coin is worth between bid and ask, for what is shown beside a
// price; the errors of Market.
func (d *Quoter) MidUSD(ticker string) (money.Decimal, error) {
	book, err := d.Market(ticker)
	return book.Mid(), err
}

// market is the pair's market for the exchange, without inventory and network
// fee. It goes by the side of each book that the exchange trades against: it
// sells what it received at the bid, and buys back what it pays at the ask. It
// returns ErrStale when there is no price, when prices move by more than the
// largest spread covers, and when their sources lie as far apart as the
// spread. One of those sources may be wrong, and what it could bring a
// customer must be less than what the exchange keeps.
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

// spreadBP is the spread in force: the configured one, plus what the two
// prices moved lately.
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

// togetherBP is how far a rate can be off when its two prices can be off by
// these basis points, rounded up.
func togetherBP(a, b int64) int64 {
	if max(a, b) >= basis { // twice the price and more: no spread covers it
		return basis
	}
	return a + b + (a*b+basis-1)/basis
}
