package wakeup

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler is the activity that finds what should have moved and has not.
type Handler struct {
	Store *postgres.Store
	// Wake starts the workflow of each item that has none, and has the others
	// check again.
	Wake func(ctx context.Context, items []overdue.Item) error
	// Grace is trade.Trade.Grace.
	Grace time.Duration
	Clock func() time.Time
}

// Register adds the search for what is overdue.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.CheckOverdue)
}
