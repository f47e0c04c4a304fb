package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/internal/postgres"
)

// Overdue is the activity that finds what should have moved and has not.
type Overdue struct {
	Store *postgres.Store
	// Wake starts the workflow of each item that has none, and has the others
	// check again.
	Wake func(ctx context.Context, items []overdue.Item) error
	// Grace is trade.Trade.Grace.
	Grace time.Duration
	Clock func() time.Time
}

// Register_wakeup adds the search for what is overdue.
func Register_wakeup(w worker.ActivityRegistry, h *Overdue) {
	w.RegisterActivity(h.CheckOverdue)
}
