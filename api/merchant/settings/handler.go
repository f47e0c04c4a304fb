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
	// Quotes knows the addresses of the coins that can be swapped to.
	Quotes *swapquote.Quotes
	Clock  func() time.Time
	// FeeRate is the operator's share where neither the merchant nor a volume tier
	// has a rate: 0.005 is half a percent.
	FeeRate money.Decimal
	// PayoutHold is how long sweeps wait after the address that they go to was
	// changed, and refunds without an approval after more was allowed; 0 for not at all.
	PayoutHold time.Duration
	// Mails is set when a mail server is configured.
	Mails bool
}

// Register adds the account and what is set of it.
func (h *Handler) Register(api operation.API) {
	h.registerAccount(api)
	h.registerAutoSwap(api)
	h.registerRefundApproval(api)
	h.registerProfile(api)
	h.registerNotices(api)
	h.registerDeletion(api)
}
