package deliveries

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// Handler has the activities of the delivery workflow.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	Sender interface {
		Post(ctx context.Context, req outbound.Request) (outbound.Response, error)
	}
	// Slots bounds the running attempts; nil means no bound.
	Slots *Slots
	// Finished receives the outcome of each finished delivery to a merchant.
	Finished func(outcome webhook.Status)
	// TradeFinished receives the outcome of each finished event of a trade.
	TradeFinished func(outcome webhook.Status)
	// Reported receives, for each event that reached its merchant, the time since the
	// charge's payment was first seen.
	Reported func(event string, sinceSeen time.Duration)
	Clock    func() time.Time
}

// Register adds the activities of deliveries, except the attempts.
func Register(w worker.ActivityRegistry, h *Handler) { w.RegisterActivity(h.FindDelivery) }

// RegisterAttempts adds the attempts, for a queue that runs many at once.
func RegisterAttempts(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.AttemptDelivery)
}
