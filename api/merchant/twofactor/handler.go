package twofactor

import (
	"time"

	"github.com/durapay/durapay/api/merchant/confirm"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Handler answers requests about second factors.
type Handler struct {
	Store   *postgres.Store
	Box     *secret.Box
	Confirm confirm.Asker
	Notices notice.Notices
	Clock   func() time.Time
}

// Register registers the second factor and the step-up.
func (h *Handler) Register(api operation.API) {
	h.registerStepUp(api)
	h.registerTwoFactor(api)
}
