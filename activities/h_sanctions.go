package activities

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/sanctions"
)

// Sanctions keeps the list of sanctioned addresses.
type Sanctions struct {
	Register sanctions.Register
	// Read reads the whole list from its source.
	Read func(ctx context.Context) (sanctions.List, error)
	// MaxAge is how long ago the source may last have been read.
	MaxAge time.Duration
	Log    *slog.Logger
	Clock  func() time.Time
}

// Register_sanctions adds the reading of the list.
func Register_sanctions(w worker.ActivityRegistry, h *Sanctions) {
	w.RegisterActivity(h.CheckSanctions)
	w.RegisterActivity(h.RefreshSanctions)
}
