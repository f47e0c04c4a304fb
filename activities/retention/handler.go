package retention

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/postgres"
)

// Handler removes old data, in batches that are one short transaction each.
type Handler struct {
	Store *postgres.Store
	// BuyerData and Records are how long buyers' fields and whole charges are
	// kept.
	BuyerData time.Duration
	Records   time.Duration
	// UnusedKeys is how long affiliate keys are kept that nobody uses; 0 is for
	// ever.
	UnusedKeys time.Duration
	// VerifyEmail is set where accounts must confirm their addresses: accounts
	// that do not are removed.
	VerifyEmail bool
}

// Register adds the removal of what is kept long enough.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.PruneData)
}
