package provider

import (
	"errors"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Transactions are the hashes that a provider has reported; empty if it has not.
type Transactions struct{ Deposit, Payout, Refund string }

// After returns the hashes after an answer. A later hash replaces an earlier one,
// for example when a payout's fee was raised. A missing hash replaces none.
func (t Transactions) After(said Swap) Transactions {
	for _, tx := range []struct {
		known    *string
		reported string
	}{{&t.Deposit, said.DepositTx}, {&t.Payout, said.PayoutTx}, {&t.Refund, said.RefundTx}} {
		if tx.reported != "" {
			*tx.known = tx.reported
		}
	}
	return t
}

// RateDecimals is the precision of a rate, as a number of decimals.
const RateDecimals = 18

const (
	// lateWatch is how long an unpaid order is still polled after the end of its time
	// for the deposit. The provider must swap or return a deposit that arrives late.
	lateWatch = 7 * 24 * time.Hour
	// maxQuiet is how long a provider that answers may leave an order unchanged.
	maxQuiet = 30 * 24 * time.Hour
	// silence is how long a provider may fail to answer before operators are
	// notified.
	silence = time.Hour
)

// OrderOverdue reports whether an order without a deposit is no longer polled, because
// more than 7 days have passed since the end of its time for the deposit.
func OrderOverdue(expiresAt, now time.Time) bool { return now.Sub(expiresAt) > lateWatch }

// Quiet reports whether an order is given up, because its provider's answers have
// been the same for more than 30 days.
func Quiet(since, now time.Time) bool { return now.Sub(since) > maxQuiet }

// Silent reports whether operators are notified of a provider, because it last
// answered an hour ago or earlier.
func Silent(answeredAt, now time.Time) bool { return now.Sub(answeredAt) >= silence }

// Steady reports whether an answer counts as lasting, because the provider has
// repeated it for more than an hour.
func Steady(since, now time.Time) bool { return now.Sub(since) > silence }

// LeastAmountTo returns the lowest output that an order accepts: 0.99 of the
// offered amount, because prices move between offer and order.
func LeastAmountTo(offered money.Decimal) money.Decimal {
	return offered.Mul(money.MustDecimal("0.99"))
}

// OrderState is the stored outcome of an order that was not placed.
type OrderState string

const (
	// Refused means that no such order exists, so a new one is allowed.
	Refused OrderState = "refused"
	// OutcomeUnknown means that the provider may hold an order. It is never paid and
	// never sent again.
	OutcomeUnknown OrderState = "uncertain"
)

// OrderStateAfter returns the state of an order after an error of
// provider.Provider.Create. It returns OutcomeUnknown for every error that does
// not prove a refusal.
func OrderStateAfter(err error) OrderState {
	refusals := []error{ErrPairUnsupported, ErrUnavailable, ErrRefused, ErrBelowMin, ErrAboveMax}
	if slices.ContainsFunc(refusals, func(e error) bool { return errors.Is(err, e) }) {
		return Refused
	}
	return OutcomeUnknown
}
