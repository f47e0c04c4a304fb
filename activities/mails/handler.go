package mails

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/mail"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Handler has the activities of the mail workflow.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Sender hands mails to a server; nil if none is configured.
	Sender interface {
		Send(ctx context.Context, m mail.Message) error
	}
	Templates *mail.Templates
	// PublicURL is the base URL of the link, without a trailing slash.
	PublicURL string
	Clock     func() time.Time
	// Finished receives the end of a mail of a kind: MailSent or MailRefused.
	Finished func(Kind, MailState)
}

// Register adds the activities of mails, except the sending.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.FindMail)
}

// RegisterOutside adds the sending of mails.
func RegisterOutside(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.SendMail)
}
