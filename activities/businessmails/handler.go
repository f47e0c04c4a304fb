package businessmails

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/postgres"
)

// Handler has the activity that gathers notices into mails.
type Handler struct {
	Store *postgres.Store
	Clock func() time.Time
	// Mails is set when a mail server is configured; without it no mail is made.
	Mails bool
}

// Register adds the gathering of notices.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.GatherNotices)
}
