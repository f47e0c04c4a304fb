package swaps

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/ordering"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler has the activities of merchants' swaps at other providers.
type Handler struct {
	Store *postgres.Store
	// Orders places the orders at the providers.
	Orders *ordering.SwapOrders
	Clock  func() time.Time
}

// Register adds the activities of merchants' swaps, except those that call providers.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.FindSwap)
}

// RegisterOutside adds the activities that call providers.
func RegisterOutside(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.PlaceSwap)
	w.RegisterActivity(h.PollSwap)
}
