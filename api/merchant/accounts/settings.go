package accounts

import (
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
	"github.com/durapay/durapay/internal/wire"
)

func exampleProfile() profile {
	masked, at := payout.MaskAddress(example.Address), wire.TimeOf(example.Time())
	return profile{
		ID: 1, MerchantID: example.MerchantID, Email: "shop@example.com", BusinessName: "Example Shop", EmailVerified: true,
		HasPayoutAddress: true, PayoutAddress: &masked, ReportingCurrency: money.USD, FeeRate: money.MustDecimal("0.005"),
		APIKeys: keyInfos{&keyInfo{access.KeyPrefix(example.LiveKey), at}, &keyInfo{access.KeyPrefix(example.TestKey), at}}, CreatedAt: at,
	}
}

// Settings answers requests about settings.
type Settings struct {
	Store   *postgres.Store
	Box     *secret.Box
	Confirm access.Asker
	Notices notice.Notices
	// Quotes knows the addresses of the coins into which Monero can be swapped.
	Quotes *swapquote.Quotes
	Clock  func() time.Time
	// FeeRate is the operator's share if neither the merchant nor a volume tier has a rate: 0.005
	// is half a percent.
	FeeRate money.Decimal
	// PayoutHold is how long sweeps wait after a change of their address, and how long refunds
	// still need approval after the merchant allowed more without it. 0 means that nothing waits.
	PayoutHold time.Duration
	// Mails is set when a mail server is configured.
	Mails bool
}

// Register registers the account and its settings.
func (h *Settings) Register(api operation.API) {
	h.registerAccount(api)
	h.registerAutoSwap(api)
	h.registerRefundApproval(api)
	h.registerProfile(api)
	h.registerNotices(api)
	h.registerDeletion(api)
}
