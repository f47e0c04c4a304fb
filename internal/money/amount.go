package money

// MinAmount and MaxAmount bound what a charge can ask for, in the natural
// unit of its currency (contract: 0.01 to 10000000 inclusive).
//
//nolint:gochecknoglobals // constants that Go cannot spell as such
var (
	MinAmount = MustDecimal("0.01")
	MaxAmount = DecimalFromInt(10_000_000)
)

// CheckAmount verifies an amount asked for in a currency: ErrRange outside of
// MinAmount to MaxAmount, ErrDecimals for more decimals than the unit has.
func CheckAmount(amount Decimal, currency Currency) error {
	if amount.Cmp(MinAmount) < 0 || amount.Cmp(MaxAmount) > 0 {
		return ErrRange
	}
	if amount.Decimals() > currency.Decimals() {
		return ErrDecimals
	}
	return nil
}
