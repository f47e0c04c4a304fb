package settings

import (
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/timestamp"
)

func exampleProfile() profile {
	masked, at := payout.MaskAddress(example.Address), timestamp.Of(example.Time())
	return profile{
		ID: 1, MerchantID: example.MerchantID, Email: "shop@example.com", BusinessName: "Example Shop", EmailVerified: true,
		HasPayoutAddress: true, PayoutAddress: &masked, ReportingCurrency: money.USD, FeeRate: money.MustDecimal("0.005"),
		APIKeys: keyInfos{&keyInfo{auth.KeyPrefix(example.LiveKey), at}, &keyInfo{auth.KeyPrefix(example.TestKey), at}}, CreatedAt: at,
	}
}
