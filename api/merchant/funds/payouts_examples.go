package funds

import (
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/wire"
)

func exampleBalance() balance {
	inRefunds := money.Piconero(100_000_000_000)
	return balance{
		UnpaidCharges: 3, TotalXMR: 1_500_000_000_000, FeeRate: money.MustDecimal("0.005"), NetXMR: 1_492_500_000_000,
		HasPayoutAddress: true, LockedXMR: 250_000_000_000, InRefundsXMR: &inRefunds,
	}
}

func examplePayout() payoutView {
	hash, at := example.Secret, wire.TimeOf(example.Time())
	return payoutView{
		PayoutID: "po_0123456789abcdef01234567", Status: payout.Broadcast, AmountXMR: 1_492_469_300_000,
		FeeXMR: 7_500_000_000, NetworkFeeXMR: 30_700_000, TxHash: &hash, ChargesPaid: 3,
		Address: payout.MaskAddress(example.Address), CreatedAt: at, SentAt: &at,
	}
}
