package rates

import (
	"slices"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// basis is the number of basis points in a whole.
const basis = 10_000

// Book is a coin's market as several exchanges show it, in USD per coin.
type Book struct {
	// Bid is what the coin can be sold for, Ask what it can be bought for. Of an
	// even number of sources it is the middle one that is worse for whoever
	// trades against it, so with two the lower bid and the higher ask.
	Bid, Ask money.Decimal
	// BidDispersionBP and AskDispersionBP are how far apart the sources lie on
	// each side: the highest over the lowest less one, in basis points, rounded up.
	BidDispersionBP, AskDispersionBP int64
	// VolatilityBP is by how much the middle between Bid and Ask has moved lately:
	// the highest over the lowest less one, in basis points, rounded up.
	VolatilityBP int64
	// At is when the oldest of the quotes that it is made of was true.
	At time.Time
}

// Mid is the middle between bid and ask, rounded to 18 decimals.
func (b Book) Mid() money.Decimal {
	return b.Bid.Add(b.Ask).Mul(money.MustDecimal("0.5")).Round(priceDecimals)
}

// bookOf is the book that these quotes make, of which there is at least one.
//
// As long as one of them is right (its bid is not above and its ask not below
// the fair price), no other can move a price further in favour of a customer
// than by the dispersion of that side; and as long as most of them are right,
// none can at all.
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

// apartBP is how far the higher of two prices is above the lower, in basis
// points, rounded up.
func apartBP(low, high money.Decimal) int64 {
	ratio, err := high.Sub(low).Mul(money.DecimalFromInt(basis)).Div(low, priceDecimals)
	if err != nil { // prices are positive
		return basis
	}
	return ratio.Ceil(0).ScaleInt(1)
}
