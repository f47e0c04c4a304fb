package money

// MinAmount and MaxAmount bound the amount of a charge, in the natural unit of
// its currency (contract: 0.01 to 10000000 inclusive).
//
//nolint:gochecknoglobals // constants that Go cannot spell as such
var (
	MinAmount = MustDecimal("0.01")
	MaxAmount = DecimalFromInt(10_000_000)
)

// CheckAmount verifies the amount of a charge in a currency. It returns
// ErrRange outside of MinAmount to MaxAmount, and ErrDecimals for more decimals
// than the unit has.
func CheckAmount(amount Decimal, currency Currency) error {
	if amount.Cmp(MinAmount) < 0 || amount.Cmp(MaxAmount) > 0 {
		return ErrRange
	}
	if amount.Decimals() > currency.Decimals() {
		return ErrDecimals
	}
	return nil
}
