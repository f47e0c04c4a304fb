package funds

import (
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/wire"
)

const (
	exampleID      = "rf_0123456789abcdef01234567"
	exampleClaimID = "rc_0123456789abcdef01234567"
)

func exampleNewRefund() newRefund {
	kept := money.DecimalFromInt(5)
	return newRefund{Variant: refund.RateThen, SubtractPercent: &kept, Name: "Order A-1001"}
}

func exampleNewClaim() newClaim { return newClaim{Token: example.Secret, Address: example.Address} }

func exampleClaim() refund.ClaimState {
	waits, at := refund.ForMoney, wire.TimeOf(example.Time())
	text := waits.Text()
	return refund.ClaimState{
		ID: exampleClaimID, Status: refund.AwaitingPayment, AmountXMR: 100_000_000_000, Address: payout.MaskAddress(example.Address),
		WaitsFor: &waits, WaitsText: &text, CreatedAt: at, ApprovedAt: &at,
	}
}

func exampleListed() refund.Refunded {
	at := wire.TimeOf(example.Time())
	return refund.Refunded{
		ID: exampleID, ChargeID: example.ChargeID, Status: refund.AwaitingPayment, Variant: refund.RateThen, AmountXMR: 289_903_375_733,
		ClaimedXMR: 100_000_000_000, LeftXMR: 189_903_375_733, FeeRate: money.MustDecimal("0.005"), FeeXMR: 1_449_516_878, Name: "Order A-1001", CreatedAt: at,
		ExpiresAt: wire.TimeOf(example.Time().Add(refund.DefaultLife)), Claims: []refund.ClaimState{exampleClaim()},
	}
}

func exampleRefund() refund.Refunded {
	v, link := exampleListed(), example.URL+"/refund/"+exampleID+"/"+example.Secret
	v.Link = &link
	return v
}

func examplePublic() refund.PublicRefund {
	v := exampleListed()
	return refund.PublicRefund{
		ID: v.ID, Status: v.Status, Shop: "Example shop", Name: v.Name, AmountXMR: v.AmountXMR, LeftXMR: v.LeftXMR,
		ExpiresAt: v.ExpiresAt, Claims: v.Claims,
	}
}
