package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// Webhooks are the activities of the delivery workflow.
type Webhooks struct {
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

// Register_deliveries adds what the runs of merchants' deliveries do beside attempts.
func Register_deliveries(w worker.ActivityRegistry, h *Webhooks) {
	w.RegisterActivity(h.CreatePing)
	w.RegisterActivity(h.ReopenDelivery)
}

// RegisterReopening_deliveries adds what the runs of partners' deliveries do beside attempts.
func RegisterReopening_deliveries(w worker.ActivityRegistry, h *Webhooks) {
	w.RegisterActivity(h.ReopenDelivery)
}

// RegisterAttempts_deliveries adds the attempts, for a queue that makes many at once.
func RegisterAttempts_deliveries(w worker.ActivityRegistry, h *Webhooks) {
	w.RegisterActivity(h.AttemptDelivery)
}
