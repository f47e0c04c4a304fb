package providerorder

import (
	"time"

	"github.com/durapay/durapay/internal/money"
)

const (
	// lateWatch is for how long after the time to deposit an order that nobody paid
	// is polled: what comes late is the provider's to swap or to send back.
	lateWatch = 7 * 24 * time.Hour
	// patience is for how long a provider that answers may leave an order where it
	// is.
	patience = 30 * 24 * time.Hour
	// silence is for how long a provider may not answer before operators are told.
	silence = time.Hour
)

// Overdue says that an order without a deposit is not polled any more: more than
// 7 days have passed since the end of its time to deposit.
func Overdue(expiresAt, now time.Time) bool { return now.Sub(expiresAt) > lateWatch }

// Quiet says that an order is given up: for more than 30 days its provider has
// answered without anything new.
func Quiet(since, now time.Time) bool { return now.Sub(since) > patience }

// Silent says that operators are told of a provider: it last answered an hour ago
// or earlier.
func Silent(heardAt, now time.Time) bool { return now.Sub(heardAt) >= silence }

// Steady says that an answer is believed to last: for more than an hour the
// provider has said the same.
func Steady(since, now time.Time) bool { return now.Sub(since) > silence }

// LeastAmountTo is what an order must pay at the least: 0.99 of what was offered,
// since prices move between the two.
func LeastAmountTo(offered money.Decimal) money.Decimal {
	return offered.Mul(money.MustDecimal("0.99"))
}
