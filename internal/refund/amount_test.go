package refund_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
	_ "github.com/durapay/durapay/tools/testseed"
)

func dec(s string) *money.Decimal {
	d := money.MustDecimal(s)
	return &d
}

// overpaid returns a charge of 150 USD at 150 USD per XMR, for which 1.2 XMR
// arrived.
func overpaid() refund.Charge {
	return refund.Charge{Received: 12 * money.OneXMR / 10, Asked: money.OneXMR, Currency: money.USD, RateThen: dec("150")}
}

func TestWhatAVariantIsWorth(t *testing.T) {
	t.Parallel()
	inXMR := refund.Charge{Received: 3 * money.OneXMR, Asked: 3 * money.OneXMR, Currency: money.XMR}
	for name, c := range map[string]struct {
		ask    refund.Ask
		charge refund.Charge
		now    *money.Decimal
		amount string
		fiat   string
	}{
		"what came":                  {refund.Ask{Variant: refund.RateThen}, overpaid(), nil, "1.2", ""},
		"what came less 5 %":         {refund.Ask{Variant: refund.RateThen, SubtractPercent: *dec("5")}, overpaid(), nil, "1.14", ""},
		"its value now, dearer":      {refund.Ask{Variant: refund.CurrentRate}, overpaid(), dec("300"), "0.6", "180"},
		"rounded down to a piconero": {refund.Ask{Variant: refund.CurrentRate}, overpaid(), dec("170"), "1.058823529411", "180"},
		"its value now, in XMR":      {refund.Ask{Variant: refund.CurrentRate}, inXMR, nil, "3", ""},
		"fiat":                       {refund.Ask{Variant: refund.Fiat, SubtractPercent: *dec("0.5")}, overpaid(), dec("300"), "0.597", "179.1"},
		"what came too much":         {refund.Ask{Variant: refund.OverpaidAmount}, overpaid(), nil, "0.2", ""},
		"so much XMR":                {refund.Ask{Variant: refund.Custom, Amount: *dec("0.000000000001"), Currency: money.XMR}, overpaid(), nil, "0.000000000001", ""},
		"so much EUR":                {refund.Ask{Variant: refund.Custom, Amount: *dec("10"), Currency: money.EUR}, overpaid(), dec("30"), "0.333333333333", "10"},
	} {
		got, err := refund.Amount(c.ask, c.charge, c.now)
		require.NoError(t, err, name)
		require.Equal(t, c.amount, got.Amount.String(), name)
		if c.fiat == "" {
			require.Nil(t, got.Fiat, name)
		} else {
			require.Equal(t, c.fiat, got.Fiat.String(), name)
		}
	}
}

func TestAmountsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, v := range refund.Variants() {
		require.ErrorContains(t, refund.ErrVariant, string(v))
	}
	exact := overpaid()
	exact.Received = exact.Asked
	for name, c := range map[string]struct {
		ask    refund.Ask
		charge refund.Charge
		now    *money.Decimal
		want   error
	}{
		"no variant":         {refund.Ask{}, overpaid(), nil, refund.ErrVariant},
		"another variant":    {refund.Ask{Variant: "ratethen"}, overpaid(), nil, refund.ErrVariant},
		"all kept":           {refund.Ask{Variant: refund.RateThen, SubtractPercent: *dec("100")}, overpaid(), nil, refund.ErrPercent},
		"less than nothing":  {refund.Ask{Variant: refund.RateThen, SubtractPercent: *dec("-0.1")}, overpaid(), nil, refund.ErrPercent},
		"not overpaid":       {refund.Ask{Variant: refund.OverpaidAmount}, exact, nil, refund.ErrNotOverpaid},
		"no rate":            {refund.Ask{Variant: refund.CurrentRate}, overpaid(), nil, refund.ErrNoRate},
		"rate of 0":          {refund.Ask{Variant: refund.Fiat}, overpaid(), dec("0"), refund.ErrNoRate},
		"no amount":          {refund.Ask{Variant: refund.Custom, Currency: money.XMR}, overpaid(), nil, refund.ErrAmount},
		"negative":           {refund.Ask{Variant: refund.Custom, Amount: *dec("-1"), Currency: money.XMR}, overpaid(), nil, refund.ErrAmount},
		"13 decimals":        {refund.Ask{Variant: refund.Custom, Amount: *dec("0.0000000000001"), Currency: money.XMR}, overpaid(), nil, refund.ErrAmount},
		"3 decimals of EUR":  {refund.Ask{Variant: refund.Custom, Amount: *dec("0.001"), Currency: money.EUR}, overpaid(), dec("1"), refund.ErrAmount},
		"another currency":   {refund.Ask{Variant: refund.Custom, Amount: *dec("1"), Currency: "GBP"}, overpaid(), dec("1"), refund.ErrCurrency},
		"more than there is": {refund.Ask{Variant: refund.Custom, Amount: *dec("100000000"), Currency: money.XMR}, overpaid(), nil, refund.ErrAmount},
		"nothing is left":    {refund.Ask{Variant: refund.Custom, Amount: *dec("0.000000000001"), Currency: money.XMR, SubtractPercent: *dec("1")}, overpaid(), nil, refund.ErrNoAmount},
	} {
		_, err := refund.Amount(c.ask, c.charge, c.now)
		require.ErrorIs(t, err, c.want, name)
	}
}

// TestNoVariantIsWorthMoreThanItShould draws charges and rates. No rounding yields
// a piconero more than the exact value, whatever percentage the merchant keeps.
func TestNoVariantIsWorthMoreThanItShould(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := refund.Charge{Received: money.Piconero(rapid.Uint64Range(1, 1e18).Draw(t, "received")), Asked: 1, Currency: money.USD}
		then, now := money.FromAtomic(rapid.Uint64Range(1, 1e9).Draw(t, "then"), 4), money.FromAtomic(rapid.Uint64Range(1, 1e9).Draw(t, "now"), 4)
		c.RateThen = &then
		percent := money.FromAtomic(rapid.Uint64Range(0, 99_999).Draw(t, "percent"), 3)
		kept := money.DecimalFromInt(100).Sub(percent)
		for _, v := range []refund.Variant{refund.RateThen, refund.CurrentRate, refund.Fiat} {
			w, err := refund.Amount(refund.Ask{Variant: v, SubtractPercent: percent}, c, &now)
			if err != nil {
				continue // nothing remains, or the amount is out of range
			}
			exact := c.Received.Decimal().Mul(kept)
			if v == refund.RateThen {
				require.LessOrEqual(t, w.Amount.Decimal().Mul(money.DecimalFromInt(100)).Cmp(exact), 0)
				continue
			}
			require.LessOrEqual(t, w.Amount.Decimal().Mul(now).Mul(money.DecimalFromInt(100)).Cmp(exact.Mul(then)), 0)
		}
	})
}
