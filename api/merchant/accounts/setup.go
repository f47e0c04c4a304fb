package accounts

import (
	"context"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/postgres/db"
)

// setup is how far a new shop is.
type setup struct {
	TestPayment   bool `json:"test_payment" doc:"Whether a charge of the sandbox was confirmed"`
	PayoutAddress bool `json:"payout_address" doc:"Whether a payout address is set"`
	TwoFactor     bool `json:"two_factor" doc:"Whether two-factor authentication is on"`
	ShopConnected bool `json:"shop_connected" doc:"Whether there is a live webhook, or a live key of an application"`
	Reports       bool `json:"reports" doc:"Whether reports are on"`
	LivePayment   bool `json:"live_payment" doc:"Whether a live charge was confirmed"`
	Complete      bool `json:"complete" doc:"Whether all of them are true"`
}

func (h *Settings) setup(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[setup], error) {
	done, err := h.Store.GetSetup(ctx, m.MerchantID)
	if err != nil {
		return nil, err
	}
	s := setup{
		TestPayment: done.TestPayment, PayoutAddress: m.PayoutAddressSealed != nil, TwoFactor: m.TotpEnabledAt != nil,
		ShopConnected: done.ShopConnected, Reports: m.ReportingEnabled, LivePayment: done.LivePayment,
	}
	s.Complete = s.TestPayment && s.PayoutAddress && s.TwoFactor && s.ShopConnected && s.Reports && s.LivePayment
	return httpapi.With(s, nil)
}
