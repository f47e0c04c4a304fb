package trade

import "github.com/durapay/durapay/internal/money"

// Inventory is the exchange's stock of one coin.
type Inventory struct {
	// Unlocked is the amount that the wallet can spend now.
	Unlocked money.Decimal
	// Reserved is the amount reserved for trades. Unfunded is the part of it that
	// is reserved for trades without a deposit.
	Reserved, Unfunded money.Decimal
	// FeeAllowance is kept for chain fees.
	FeeAllowance money.Decimal
	// UnfundedPercent is the share of Spendable that all trades without a deposit
	// may reserve together. ClientPercent is the share for one client's trades
	// without a deposit; 0 means no cap for one client.
	UnfundedPercent, ClientPercent int64
}

// Spendable returns the unlocked amount less the allowance for fees.
func (i Inventory) Spendable() money.Decimal { return floorZero(i.Unlocked.Sub(i.FeeAllowance)) }

// Free returns the spendable amount that is not reserved.
func (i Inventory) Free() money.Decimal { return floorZero(i.Spendable().Sub(i.Reserved)) }

// Quotable returns the amount that a new trade may reserve: the free part, but
// no more than is left of the share for trades without a deposit.
func (i Inventory) Quotable() money.Decimal {
	return smaller(i.Free(), floorZero(percent(i.Spendable(), i.UnfundedPercent).Sub(i.Unfunded)))
}

// Admits reports whether a client's new trade may reserve this amount. ofClient
// is the amount already reserved for that client's trades without a deposit.
func (i Inventory) Admits(amount, ofClient money.Decimal) bool {
	if amount.Cmp(i.Quotable()) > 0 {
		return false
	}
	return i.ClientPercent == 0 || ofClient.Add(amount).Cmp(percent(i.Spendable(), i.ClientPercent)) <= 0
}

func percent(amount money.Decimal, n int64) money.Decimal {
	return amount.Mul(money.DecimalFromInt(n)).Mul(money.MustDecimal("0.01"))
}

func floorZero(d money.Decimal) money.Decimal {
	if d.Sign() < 0 {
		return money.Decimal{}
	}
	return d
}

func smaller(a, b money.Decimal) money.Decimal {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}
