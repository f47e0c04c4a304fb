package upkeep

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/postgres"
)

// Retention removes old data, in batches that are one short transaction each.
type Retention struct {
	Store *postgres.Store
	// BuyerData and Records are how long buyers' fields and whole charges are
	// kept.
	BuyerData time.Duration
	Records   time.Duration
	// UnusedKeys is how long unused affiliate keys are kept; 0 means for ever.
	UnusedKeys time.Duration
	// VerifyEmail is set if accounts must confirm their addresses: the activity then removes
	// accounts that do not.
	VerifyEmail bool
}

// RegisterRetention adds the activity that prunes.
func RegisterRetention(w worker.ActivityRegistry, h *Retention) {
	w.RegisterActivity(h.PruneData)
}
