package rates

import (
	"errors"
	"time"

	"github.com/durapay/durapay/internal/money"
)

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
