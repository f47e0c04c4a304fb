package wakeup

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler has the activities that find what should have moved and has not, and what will
// keep it from moving.
type Handler struct {
	Store *postgres.Store
	// Wake starts the workflow of each item that has none, and has the others
	// check again.
	Wake func(ctx context.Context, items []overdue.Item) error
	// Grace is trade.Trade.Grace.
	Grace time.Duration
	Clock func() time.Time

	// Daemon is asked about forks of the network; nil where no live wallet is.
	Daemon *monero.Daemon
	// Forks are those that were announced, and ForkDays is told how many days are left until
	// the first that the daemon does not know, if there is one.
	Forks    []coin.MoneroFork
	ForkDays func(days int, known bool)
}

// Register adds the searches.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.CheckOverdue)
	w.RegisterActivity(h.CheckFork)
}
