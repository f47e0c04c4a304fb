package trade

import (
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/money"
)

// Errors of pricing.
var (
	// ErrUnfillable says that the inventory does not reach the pair's minimum.
	ErrUnfillable = errors.New("the inventory does not allow this pair now")
	// ErrPrice says that prices are not positive.
	ErrPrice = errors.New("unusable price")
)

// LimitError says that an amount is outside of a pair's limits.
type LimitError struct {
	Below  bool
	Limits Limits
}

// Error is for logs.
func (e *LimitError) Error() string {
	return fmt.Sprintf("amount is not within %s and %s", e.Limits.Min, e.Limits.Max)
}

// With is the error with the limit that was missed replaced.
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

// rateDecimals is the precision of a rate.
const rateDecimals = 18

// usdDecimals is the precision of fees in USD.
const usdDecimals = 4

// Market is what a pair's price is made of.
type Market struct {
	// USDFrom and USDTo are the prices of one unit of each coin.
	USDFrom, USDTo money.Decimal
	// DecimalsTo is the number of decimals of the coin that is paid out.
	DecimalsTo int32
	// SpreadBP is what the exchange keeps, in basis points of the mid price.
	SpreadBP int64
	// NetworkFee is what a payout is expected to cost, in the coin paid out.
	NetworkFee money.Decimal
	// Free is the inventory that is reserved for nobody, see Inventory.
	Free money.Decimal
	// Min, Max and Step are the pair's settings, in the coin that comes in.
	Min, Max, Step money.Decimal
}

// Limits are what a deposit may be, in the coin that comes in. Max is 0 when
// nothing can be swapped now.
type Limits struct {
	Min, Max money.Decimal
}

// Quote is the price of one amount.
type Quote struct {
	Limits

	AmountFrom, AmountTo money.Decimal
	// Rate is what one unit of the deposit pays; amount × Rate, rounded down,
	// is AmountTo.
	Rate money.Decimal
	// CommissionRate is what one unit of the deposit brings to whoever set the
	// markup, in the coin that is paid out.
	CommissionRate money.Decimal
	// NetworkFeeUSD, SpreadUSD and MarkupUSD are what Rate already contains,
	// rounded up; FeesUSD is their sum.
	NetworkFeeUSD, SpreadUSD, MarkupUSD, FeesUSD money.Decimal
}

// mid is the price without any fee, rounded down.
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

// Limits are the pair's limits now. Where the network fee would take more than
// half of the minimum, the minimum rises to a multiple of the configured one.
// The maximum falls to what the inventory can pay, in whole steps, so that it
// does not show the balance.
func (m Market) Limits() (Limits, error) {
	p, err := m.Open()
	return p.Limits, err
}

// Pricing is a market with what all of its prices have in common.
type Pricing struct {
	Limits

	market        Market
	mid           money.Decimal
	networkFeeUSD money.Decimal
}

// Open works out what does not depend on an amount; ErrPrice for prices that
// cannot be used.
func (m Market) Open() (Pricing, error) {
	mid, err := m.mid()
	if err != nil {
		return Pricing{}, err
	}
	limits, err := m.limits(mid)
	return Pricing{Limits: limits, market: m, mid: mid, networkFeeUSD: m.usd(m.NetworkFee)}, err
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
	// The mid price pays more than any rate that is quoted: what fits at mid fits.
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

// Price quotes an amount with a markup in basis points. Every rounding is in
// favour of the exchange: rates and amounts paid are rounded down to their
// last place, fees that are shown are rounded up. It fails with a LimitError
// when the amount is outside of the limits, and with ErrUnfillable when no
// amount is inside.
func (m Market) Price(amount money.Decimal, markupBP int64) (Quote, error) {
	p, err := m.Open()
	if err != nil {
		return Quote{}, err
	}
	return p.Price(amount, markupBP)
}

// Price is that of Market.
func (p Pricing) Price(amount money.Decimal, markupBP int64) (Quote, error) {
	switch {
	case amount.Cmp(p.Min) < 0:
		return Quote{}, &LimitError{Below: true, Limits: p.Limits}
	case p.Max.Sign() == 0:
		return Quote{}, ErrUnfillable
	case amount.Cmp(p.Max) > 0:
		return Quote{}, &LimitError{Limits: p.Limits}
	}
	return p.price(amount, markupBP)
}

func (p Pricing) price(amount money.Decimal, markupBP int64) (Quote, error) {
	m, gross := p.market, amount.Mul(p.mid)
	spread := share(gross, m.SpreadBP)
	base, err := gross.Sub(spread).Sub(m.NetworkFee).DivFloor(amount, rateDecimals)
	if err != nil || base.Sign() <= 0 {
		return Quote{}, ErrPrice
	}
	q := Quote{Limits: p.Limits, AmountFrom: amount}
	q.Rate, q.CommissionRate = Marked(base, markupBP)
	q.AmountTo = amount.Mul(q.Rate).Floor(m.DecimalsTo)
	if q.AmountTo.Sign() <= 0 {
		return Quote{}, ErrPrice
	}
	q.NetworkFeeUSD = p.networkFeeUSD
	q.SpreadUSD = m.usd(spread)
	q.FeesUSD = q.NetworkFeeUSD.Add(q.SpreadUSD)
	if q.CommissionRate.Sign() != 0 {
		q.MarkupUSD = m.usd(amount.Mul(q.CommissionRate))
		q.FeesUSD = q.FeesUSD.Add(q.MarkupUSD)
	}
	return q, nil
}

// Rate is what one unit of the deposit pays at a markup in basis points, the
// network fee aside; ErrPrice for prices that cannot be used.
func (m Market) Rate(markupBP int64) (money.Decimal, error) {
	mid, err := m.mid()
	if err != nil {
		return money.Decimal{}, err
	}
	rate, _ := Marked(mid.Sub(share(mid, m.SpreadBP)), markupBP)
	return rate, nil
}

// Marked splits a rate without a markup into what is paid at a markup in basis
// points, and what is credited for it.
func Marked(base money.Decimal, markupBP int64) (rate, commission money.Decimal) {
	if markupBP != 0 {
		rate = base.Sub(share(base, markupBP)).Floor(rateDecimals)
	} else {
		rate = base.Floor(rateDecimals)
	}
	return rate, base.Sub(rate)
}

func (m Market) usd(amount money.Decimal) money.Decimal { return amount.Mul(m.USDTo).Ceil(usdDecimals) }

// basisDecimals are the decimals of a basis point.
const basisDecimals = 4

// share is this many basis points of the amount, exactly.
func share(amount money.Decimal, bp int64) money.Decimal {
	return amount.Mul(money.NewDecimal(bp, basisDecimals))
}

// Commission is what a swap of this deposit brings to whoever set its markup,
// rounded down to the smallest unit of the coin paid out.
func Commission(received, commissionRate money.Decimal, decimals int32) money.Decimal {
	return received.Mul(commissionRate).Floor(decimals)
}
