package upkeep

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/internal/postgres"
)

// Overdue has the activities that find rows that should have moved and have not, and a
// fork that will stop payments.
type Overdue struct {
	Store *postgres.Store
	// Wake starts the workflow of each item that has none, and has the running ones check
	// their rows.
	Wake func(ctx context.Context, items []overdue.Item) error
	// Grace is trade.Trade.Grace.
	Grace time.Duration
	Clock func() time.Time

	// Daemon is asked about forks of the network; nil if there is no live wallet.
	Daemon *monero.Daemon
	// Forks are the announced forks. ForkDays receives how many days remain until the first
	// fork that the daemon does not know, if there is one.
	Forks    []coin.MoneroFork
	ForkDays func(days int, known bool)
}

// RegisterOverdue adds the searches.
func RegisterOverdue(w worker.ActivityRegistry, h *Overdue) {
	w.RegisterActivity(h.CheckOverdue)
	w.RegisterActivity(h.CheckFork)
}
