package activities

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/postgres"
)

// Swaps are the activities of merchants' swaps at other providers.
type Swaps struct {
	Store *postgres.Store
	// Orders places the orders at the providers.
	Orders *SwapOrders
	Clock  func() time.Time
}

// Register_swaps adds what merchants' swaps do.
func Register_swaps(w worker.ActivityRegistry, h *Swaps) {
	w.RegisterActivity(h.PlaceSwap)
	w.RegisterActivity(h.FindSwap)
	w.RegisterActivity(h.PollSwap)
}
