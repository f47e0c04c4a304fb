package provider

import (
	"time"

	"github.com/durapay/durapay/internal/money"
)

const (
	// lateWatch is how long an unpaid order is still polled after the end of its time
	// for the deposit. The provider must swap or return a deposit that arrives late.
	lateWatch = 7 * 24 * time.Hour
	// patience is how long a provider that answers may leave an order unchanged.
	patience = 30 * 24 * time.Hour
	// silence is how long a provider may fail to answer before operators are
	// notified.
	silence = time.Hour
)

// OrderOverdue reports whether an order without a deposit is no longer polled, because
// more than 7 days have passed since the end of its time for the deposit.
func OrderOverdue(expiresAt, now time.Time) bool { return now.Sub(expiresAt) > lateWatch }

// Quiet reports whether an order is given up, because its provider's answers have
// been the same for more than 30 days.
func Quiet(since, now time.Time) bool { return now.Sub(since) > patience }

// Silent reports whether operators are notified of a provider, because it last
// answered an hour ago or earlier.
func Silent(heardAt, now time.Time) bool { return now.Sub(heardAt) >= silence }

// Steady reports whether an answer counts as lasting, because the provider has
// repeated it for more than an hour.
func Steady(since, now time.Time) bool { return now.Sub(since) > silence }

// LeastAmountTo returns the lowest output that an order accepts: 0.99 of the
// offered amount, because prices move between offer and order.
func LeastAmountTo(offered money.Decimal) money.Decimal {
	return offered.Mul(money.MustDecimal("0.99"))
}
