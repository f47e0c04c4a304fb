package testclocks

import (
	"context"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/postgres"
)

// Handler has the activities of the workflow of a test clock.
type Handler struct {
	Store *postgres.Store
	// NotifyCharge and NotifyDelivery tell a run that its clock was moved, and start
	// one where there is none.
	NotifyCharge   func(ctx context.Context, chargeID string) error
	NotifyDelivery func(ctx context.Context, deliveryID string) error
}

// Register adds what test clocks do.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.BeginAdvance)
	w.RegisterActivity(h.DeleteTestClock)
	w.RegisterActivity(h.NotifyBound)
	w.RegisterActivity(h.EndAdvance)
}
