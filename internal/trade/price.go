package trade

import (
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/money"
)

// Errors of pricing.
var (
	// ErrUnfillable is returned when the inventory is below the pair's minimum.
	ErrUnfillable = errors.New("the inventory does not allow this pair now")
	// ErrPrice is returned when prices are not positive.
	ErrPrice = errors.New("unusable price")
)

// LimitError is returned for an amount outside of a pair's limits.
type LimitError struct {
	Below  bool
	Limits Limits
}

// Error describes the limits, for logs.
func (e *LimitError) Error() string {
	return fmt.Sprintf("amount is not within %s and %s", e.Limits.Min, e.Limits.Max)
}

// With returns a copy of the error with the missed limit replaced.
func (e *LimitError) With(limit money.Decimal) *LimitError {
	other := *e
	if e.Below {
		other.Limits.Min = limit
	} else {
		other.Limits.Max = limit
	}
	return &other
}

// basis is the number of basis points in a whole.
const basis = 10_000

const rateDecimals = 18

// usdDecimals is the precision of fees in USD.
const usdDecimals = 4

// Market holds the inputs of a pair's price.
type Market struct {
	// USDFrom and USDTo are the prices of one unit of each coin.
	USDFrom, USDTo money.Decimal
	// DecimalsTo is the number of decimals of the coin that is paid out.
	DecimalsTo int32
	// SpreadBP is the exchange's spread, in basis points of the mid price.
	SpreadBP int64
	// NetworkFee is the expected fee of a payout, in the coin paid out.
	NetworkFee money.Decimal
	// Free is the inventory that is not reserved, see Inventory.
	Free money.Decimal
	// Min, Max and Step are the pair's settings, in the coin of the deposit.
	Min, Max, Step money.Decimal
}

// Limits are the smallest and the largest deposit, in the coin of the deposit.
// Max is 0 when nothing can be swapped now.
type Limits struct {
	Min, Max money.Decimal
}

// Quote is the price of one amount.
type Quote struct {
	Limits

	AmountFrom, AmountTo money.Decimal
	// Rate is how much one unit of the deposit pays. AmountTo is amount × Rate,
	// rounded down.
	Rate money.Decimal
	// CommissionRate is the commission on one unit of the deposit for the partner
	// that set the markup, in the coin that is paid out.
	CommissionRate money.Decimal
	// NetworkFeeUSD, SpreadUSD and MarkupUSD are the fees that Rate already
	// contains, rounded up. FeesUSD is their sum.
	NetworkFeeUSD, SpreadUSD, MarkupUSD, FeesUSD money.Decimal
}

// mid returns the price without any fee, rounded down.
func (m Market) mid() (money.Decimal, error) {
	if m.USDFrom.Sign() <= 0 || m.USDTo.Sign() <= 0 {
		return money.Decimal{}, ErrPrice
	}
	mid, err := m.USDFrom.DivFloor(m.USDTo, rateDecimals)
	if err != nil || mid.Sign() <= 0 {
		return money.Decimal{}, ErrPrice
	}
	return mid, nil
}

// Limits returns the pair's current limits. If the network fee would exceed
// half of the minimum's payout, the minimum rises to a multiple of the
// configured one. The maximum falls to the amount that the inventory can pay,
// in whole steps so that it does not reveal the balance. It returns ErrPrice for
// unusable prices.
func (m Market) Limits() (Limits, error) {
	mid, err := m.mid()
	if err != nil {
		return Limits{}, err
	}
	return m.limits(mid)
}

func (m Market) limits(mid money.Decimal) (Limits, error) {
	perUnit := mid.Mul(money.DecimalFromInt(basis - m.SpreadBP))
	dear := m.NetworkFee.Mul(money.DecimalFromInt(2 * basis))
	l := Limits{Min: m.Min, Max: m.Max}
	if m.Min.Mul(perUnit).Cmp(dear) < 0 {
		times, err := dear.DivFloor(perUnit.Mul(m.Min), 0)
		if err != nil {
			return Limits{}, ErrPrice
		}
		l.Min = m.Min.Mul(times.Add(money.DecimalFromInt(1)))
	}
	// The mid price pays more than any quoted rate, so an amount that fits at mid
	// fits.
	steps, err := m.Free.DivFloor(mid.Mul(m.Step), 0)
	if err != nil {
		return Limits{}, ErrPrice
	}
	if fits := steps.Mul(m.Step); fits.Cmp(l.Max) < 0 {
		l.Max = fits
	}
	if l.Max.Cmp(l.Min) < 0 {
		l.Max = money.Decimal{}
	}
	return l, nil
}

// Price quotes an amount with a markup in basis points. Every rounding favours
// the exchange: rates and amounts paid are rounded down to their last place,
// and displayed fees are rounded up. It returns a LimitError when the amount is
// outside the limits, ErrUnfillable when the limits allow no amount, and ErrPrice for
// unusable prices.
func (m Market) Price(amount money.Decimal, markupBP int64) (Quote, error) {
	mid, err := m.mid()
	if err != nil {
		return Quote{}, err
	}
	limits, err := m.limits(mid)
	switch {
	case err != nil:
		return Quote{}, err
	case amount.Cmp(limits.Min) < 0:
		return Quote{}, &LimitError{Below: true, Limits: limits}
	case limits.Max.Sign() == 0:
		return Quote{}, ErrUnfillable
	case amount.Cmp(limits.Max) > 0:
		return Quote{}, &LimitError{Limits: limits}
	}
	gross := amount.Mul(mid)
	spread := share(gross, m.SpreadBP)
	base, err := gross.Sub(spread).Sub(m.NetworkFee).DivFloor(amount, rateDecimals)
	if err != nil || base.Sign() <= 0 {
		return Quote{}, ErrPrice
	}
	q := Quote{Limits: limits, AmountFrom: amount}
	q.Rate, q.CommissionRate = Marked(base, markupBP)
	q.AmountTo = amount.Mul(q.Rate).Floor(m.DecimalsTo)
	if q.AmountTo.Sign() <= 0 {
		return Quote{}, ErrPrice
	}
	q.NetworkFeeUSD, q.SpreadUSD = m.usd(m.NetworkFee), m.usd(spread)
	q.FeesUSD = q.NetworkFeeUSD.Add(q.SpreadUSD)
	if q.CommissionRate.Sign() != 0 {
		q.MarkupUSD = m.usd(amount.Mul(q.CommissionRate))
		q.FeesUSD = q.FeesUSD.Add(q.MarkupUSD)
	}
	return q, nil
}

// Rate returns how much one unit of the deposit pays at a markup in basis
// points, before the network fee. It returns ErrPrice for unusable prices.
func (m Market) Rate(markupBP int64) (money.Decimal, error) {
	mid, err := m.mid()
	if err != nil {
		return money.Decimal{}, err
	}
	rate, _ := Marked(mid.Sub(share(mid, m.SpreadBP)), markupBP)
	return rate, nil
}

// Marked divides a rate without a markup into the rate paid at a markup in
// basis points, and the commission credited for the markup.
func Marked(base money.Decimal, markupBP int64) (rate, commission money.Decimal) {
	if markupBP != 0 {
		rate = base.Sub(share(base, markupBP)).Floor(rateDecimals)
	} else {
		rate = base.Floor(rateDecimals)
	}
	return rate, base.Sub(rate)
}

func (m Market) usd(amount money.Decimal) money.Decimal { return amount.Mul(m.USDTo).Ceil(usdDecimals) }

// basisDecimals is the number of decimals of a basis point.
const basisDecimals = 4

// share returns this many basis points of the amount, exactly.
func share(amount money.Decimal, bp int64) money.Decimal {
	return amount.Mul(money.NewDecimal(bp, basisDecimals))
}

// Commission returns the commission on a deposit for the partner that set the
// markup, rounded down to the smallest unit of the coin paid out.
func Commission(received, commissionRate money.Decimal, decimals int32) money.Decimal {
	return received.Mul(commissionRate).Floor(decimals)
}
