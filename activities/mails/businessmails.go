package mails

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/postgres"
)

// BusinessMails has the activity that gathers notices into mails.
type BusinessMails struct {
	Store *postgres.Store
	Clock func() time.Time
	// Mails is set when a mail server is configured; without it no mail is made.
	Mails bool
}

// RegisterBusiness adds the gathering of notices.
func RegisterBusiness(w worker.ActivityRegistry, h *BusinessMails) {
	w.RegisterActivity(h.GatherNotices)
}
