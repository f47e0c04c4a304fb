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
	// Slots share the attempts under way; nil lets everybody have as many as come.
	Slots *Slots
	// Finished is told the outcome of each finished delivery to a merchant.
	Finished func(outcome webhook.Status)
	// TradeFinished is told the outcome of each finished event of a trade.
	TradeFinished func(outcome webhook.Status)
	// Reported is told, for each event that reached its merchant, how long
	// after the first sight of the charge's payment that was.
	Reported func(event string, sinceSeen time.Duration)
	Clock    func() time.Time
}

// Register adds what the runs of merchants' deliveries do beside attempts.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.CreatePing)
	w.RegisterActivity(h.ReopenDelivery)
}

// RegisterReopening adds what the runs of partners' deliveries do beside attempts.
func RegisterReopening(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.ReopenDelivery)
}

// RegisterAttempts adds the attempts, for a queue that makes many at once.
func RegisterAttempts(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.AttemptDelivery)
}
