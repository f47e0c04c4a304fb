package trade

import "github.com/durapay/durapay/internal/money"

// Inventory is one coin of the exchange.
type Inventory struct {
	// Unlocked is what the wallet can spend now.
	Unlocked money.Decimal
	// Reserved is reserved for trades. Unfunded is the part of it for trades
	// without a deposit.
	Reserved, Unfunded money.Decimal
	// FeeAllowance is left for chain fees.
	FeeAllowance money.Decimal
	// UnfundedPercent of what can be spent may be reserved for all trades
	// without a deposit, ClientPercent for those of one client. A
	// ClientPercent of 0 means no cap for one client.
	UnfundedPercent, ClientPercent int64
}

// Spendable is what there is beside the allowance for fees.
func (i Inventory) Spendable() money.Decimal { return floorZero(i.Unlocked.Sub(i.FeeAllowance)) }

// Free is what is reserved for nobody.
func (i Inventory) Free() money.Decimal { return floorZero(i.Spendable().Sub(i.Reserved)) }

// Quotable is what a new trade may reserve: the free part, and of it no more
// than trades without a deposit may have together.
func (i Inventory) Quotable() money.Decimal {
	return smaller(i.Free(), floorZero(percent(i.Spendable(), i.UnfundedPercent).Sub(i.Unfunded)))
}

// Admits says whether a new trade of a client may reserve this much. ofClient
// is what that client's trades without a deposit have reserved already.
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
