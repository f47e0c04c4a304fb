package merchant

import (
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/timestamp"
)

func exampleProfile() profile {
	masked, at := payout.MaskAddress(exampleAddress), timestamp.Of(exampleTime())
	return profile{
		ID: 1, MerchantID: exampleMerchantID, Email: "shop@example.com", BusinessName: "Example Shop", EmailVerified: true,
		HasPayoutAddress: true, PayoutAddress: &masked, ReportingCurrency: money.USD, FeeRate: money.MustDecimal("0.005"),
		APIKeys: keyInfos{&keyInfo{keyPrefix(exampleLiveKey), at}, &keyInfo{keyPrefix(exampleTestKey), at}}, CreatedAt: at,
	}
}
