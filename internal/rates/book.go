package rates

import (
	"errors"
	"slices"
	"sync"
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

// Errors of this package.
var (
	// ErrNoPrice means that no source has a price that may be used now.
	ErrNoPrice = errors.New("no usable price")
	// ErrStale means that a coin's price has sources, but that too few of them may
	// be used now or that they disagree.
	ErrStale = errors.New("prices are stale")
	// ErrTicker means that an exchange's answer is not a ticker of the pair.
	ErrTicker = errors.New("unusable ticker")
)

// Quote is the price of one coin in a currency, as reported by a source.
type Quote struct {
	// Price is the last trade, in the currency's unit per coin.
	Price money.Decimal
	// Bid is the price of the best buyer and Ask that of the best seller, in the
	// same unit; 0 if the source does not report them.
	Bid, Ask money.Decimal
	// ChangePercent24h is the change of the price in percent; 0 if the source does
	// not report it.
	ChangePercent24h money.Decimal
	// High24h and Low24h are the extremes of the last 24 hours.
	High24h, Low24h money.Decimal
	// Source is the name of the exchange, or "static".
	Source string
	// At is the time of the price: the time of the call, or an earlier time that
	// the source reports.
	At time.Time
}

// plausible rejects numbers that cannot be a price, because a wrong price would
// sell goods for nothing.
func (q Quote) plausible(lowest money.Decimal) bool {
	return q.Price.Cmp(lowest) >= 0 && q.Price.Cmp(money.MaxAmount) <= 0 &&
		q.High24h.Sign() >= 0 && q.Low24h.Sign() >= 0
}

// sided reports whether the quote has a plausible bid and ask that do not
// cross.
func (q Quote) sided(lowest money.Decimal) bool {
	return q.Bid.Cmp(lowest) >= 0 && q.Ask.Cmp(q.Bid) >= 0 && q.Ask.Cmp(money.MaxAmount) <= 0
}

// history stores recent prices. A process that has just started only knows the
// prices since then. It is safe for concurrent use.
type history struct {
	window time.Duration

	mu      sync.Mutex
	samples map[string][]sample
}

type sample struct {
	at  time.Time
	mid money.Decimal
}

// add stores a price and drops those that are older than the window.
func (h *history) add(ticker string, s sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := slices.DeleteFunc(h.samples[ticker], func(old sample) bool { return s.at.Sub(old.at) > h.window })
	h.samples[ticker] = append(kept, s)
}

// volatilityBP returns the distance between the prices of the window, including
// the current one, in basis points, rounded up.
func (h *history) volatilityBP(ticker string, now sample) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	low, high := now.mid, now.mid
	for _, s := range h.samples[ticker] {
		if now.at.Sub(s.at) > h.window {
			continue
		}
		if s.mid.Cmp(low) < 0 {
			low = s.mid
		}
		if s.mid.Cmp(high) > 0 {
			high = s.mid
		}
	}
	return apartBP(low, high)
}
