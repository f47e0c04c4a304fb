package swaps

import (
	"log/slog"
	"time"

	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
)

// Handler answers requests about swaps.
type Handler struct {
	Store *postgres.Store
	Box   *secret.Box
	Start start.Workflows
	// Quotes gets quotes of swaps.
	Quotes *swapquote.Quotes
	Clock  func() time.Time
	Log    *slog.Logger
}

// Register registers quotes and the swaps of merchants.
func (h *Handler) Register(api operation.API) {
	h.registerQuotes(api)
	h.registerSwaps(api)
}
