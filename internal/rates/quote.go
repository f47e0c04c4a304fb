package rates

import (
	"errors"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Errors of this package.
var (
	// ErrNoPrice says that no source has a price that may be used now.
	ErrNoPrice = errors.New("no usable price")
	// ErrStale says that there are sources for a coin's price, but none that may
	// be used now, or that they disagree.
	ErrStale = errors.New("prices are stale")
	// ErrTicker says that an exchange's answer is not a ticker of the pair.
	ErrTicker = errors.New("unusable ticker")
)

// Quote is the price of one coin in a currency, as a source gave it.
type Quote struct {
	// Price is the last trade, in the currency's unit per coin.
	Price money.Decimal
	// Bid is what the best buyer pays and Ask what the best seller wants, in the
	// same unit; 0 when the source does not tell.
	Bid, Ask money.Decimal
	// ChangePercent24h is the change of the price in percent, 0 when the
	// source does not tell.
	ChangePercent24h money.Decimal
	// High24h and Low24h are the extremes of the last 24 hours.
	High24h, Low24h money.Decimal
	// Source is the name of the exchange, or "static".
	Source string
	// At is when the price was true: when it was fetched, or earlier if the
	// source says so.
	At time.Time
}

// plausible rejects what cannot be a price; a wrong one would sell goods for
// nothing.
func (q Quote) plausible(lowest money.Decimal) bool {
	return q.Price.Cmp(lowest) >= 0 && q.Price.Cmp(money.MaxAmount) <= 0 &&
		q.High24h.Sign() >= 0 && q.Low24h.Sign() >= 0
}

// sided says that the quote has both sides of a book, which do not cross, and
// that both can be prices.
func (q Quote) sided(lowest money.Decimal) bool {
	return q.Bid.Cmp(lowest) >= 0 && q.Ask.Cmp(q.Bid) >= 0 && q.Ask.Cmp(money.MaxAmount) <= 0
}
