package merchant

import (
	"log/slog"
	"time"

	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
)

// swapsRoom answers requests about swaps.
type swapsRoom struct {
	Store *postgres.Store
	Box   *secret.Box
	Start start.Workflows
	// Quotes is where swaps are quoted.
	Quotes *swapquote.Quotes
	Clock  func() time.Time
	Log    *slog.Logger
}

// Register adds quotes and the swaps of merchants.
func (h *swapsRoom) Register(api operation.API) {
	h.registerQuotes(api)
	h.registerSwaps(api)
}
