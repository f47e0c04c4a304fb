package funds

import (
	"time"

	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/internal/wire"
)

func exampleNewSwap() any {
	return map[string]any{
		"from": "xmr", "to": "ltc", "amount": money.MustDecimal("1.5"), "quoteId": exampleQuoteID,
		"address": "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", "refundAddress": example.Address,
	}
}

func exampleSwapMade() SwapMade {
	return SwapMade{
		ID: "swp_0123456789abcdef01234567", SwapID: "0123456789abcdef0123456789abcdef", Provider: "house", DepositAddress: example.Address,
		AmountFrom: "1.5", AmountToExpected: "2.9391", From: "xmr", To: "ltc", Status: swap.Waiting,
		ExpiresAt: wire.TimeOf(example.Time().Add(time.Hour)),
		Instructions: "Funds are not sent automatically. Send exactly 1.5 XMR to " + example.Address + " before 2026-11-21T10:30:00Z, " +
			"from a wallet of your own. The provider pays the destination address itself.",
	}
}

func exampleSwap() swapView {
	made, paid := exampleSwapMade(), "2.9391"
	made.Status = swap.Finished
	deposit, payout := example.Secret, example.Secret
	return swapView{
		SwapMade: made, AmountTo: &paid, TxDeposit: &deposit, TxPayout: &payout,
		UpdatedAt: wire.TimeOf(example.Time().Add(30 * time.Minute)),
	}
}
