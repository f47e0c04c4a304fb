package settings

import (
	"time"

	"github.com/durapay/durapay/api/merchant/confirm"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
)

// Handler answers requests about settings.
type Handler struct {
	Store   *postgres.Store
	Box     *secret.Box
	Confirm confirm.Asker
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
func (h *Handler) Register(api operation.API) {
	h.registerAccount(api)
	h.registerAutoSwap(api)
	h.registerRefundApproval(api)
	h.registerProfile(api)
	h.registerNotices(api)
	h.registerDeletion(api)
}
