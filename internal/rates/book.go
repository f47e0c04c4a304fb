package rates

import (
	"slices"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// basis is the number of basis points in a whole.
const basis = 10_000

// Book is a coin's market as seen by several exchanges, in USD per coin.
type Book struct {
	// Bid is the price at which the coin can be sold, and Ask the price at which it
	// can be bought. Both are medians of the sources. With an even number of
	// sources it is the one of the two middle prices that is worse for the
	// customer. So with two sources it is the lower bid and the higher ask.
	Bid, Ask money.Decimal
	// BidDispersionBP and AskDispersionBP are the distances between the sources on
	// each side: the highest over the lowest less one, in basis points, rounded up.
	BidDispersionBP, AskDispersionBP int64
	// VolatilityBP is the movement of the middle between Bid and Ask in the recent
	// past: the highest over the lowest less one, in basis points, rounded up.
	VolatilityBP int64
	// At is the time of the oldest quote in the book.
	At time.Time
}

// Mid returns the middle between bid and ask, rounded to 18 decimals.
func (b Book) Mid() money.Decimal {
	return b.Bid.Add(b.Ask).Mul(money.MustDecimal("0.5")).Round(priceDecimals)
}

// bookOf returns the book of these quotes, of which there is at least one.
//
// A quote is right if its bid is not above and its ask not below the fair
// price. As long as one of them is right, a wrong one can move a price in
// favour of a customer at most by the dispersion of that side. As long as most
// of them are right, it cannot do so at all.
func bookOf(quotes []Quote) Book {
	bids, asks := make([]money.Decimal, 0, len(quotes)), make([]money.Decimal, 0, len(quotes))
	b := Book{At: quotes[0].At}
	for _, q := range quotes {
		bids, asks = append(bids, q.Bid), append(asks, q.Ask)
		if q.At.Before(b.At) {
			b.At = q.At
		}
	}
	slices.SortFunc(bids, money.Decimal.Cmp)
	slices.SortFunc(asks, money.Decimal.Cmp)
	last := len(quotes) - 1
	b.Bid, b.Ask = bids[last/2], asks[len(asks)/2]
	b.BidDispersionBP, b.AskDispersionBP = apartBP(bids[0], bids[last]), apartBP(asks[0], asks[last])
	return b
}

// apartBP returns how far the higher of two prices is above the lower, in basis
// points, rounded up.
func apartBP(low, high money.Decimal) int64 {
	ratio, err := high.Sub(low).Mul(money.DecimalFromInt(basis)).Div(low, priceDecimals)
	if err != nil { // prices are positive
		return basis
	}
	return ratio.Ceil(0).ScaleInt(1)
}
