package upkeep

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/sanctions"
)

// SanctionsList keeps the list of sanctioned addresses.
type SanctionsList struct {
	Register sanctions.Register
	// Read reads the whole list from its source.
	Read func(ctx context.Context) (sanctions.List, error)
	// MaxAge is how long ago the source may have been read last.
	MaxAge time.Duration
	Log    *slog.Logger
	Clock  func() time.Time
}

// RegisterSanctionsList adds the check of the list's age.
func RegisterSanctionsList(w worker.ActivityRegistry, h *SanctionsList) {
	w.RegisterActivity(h.CheckSanctions)
}

// RegisterOutside adds the reading of the list.
func RegisterOutside(w worker.ActivityRegistry, h *SanctionsList) {
	w.RegisterActivity(h.RefreshSanctions)
}
