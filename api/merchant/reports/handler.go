package reports

import (
	"log/slog"
	"time"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler answers requests about reports.
type Handler struct {
	Store  *postgres.Store
	Errors answer.Errors
	Clock  func() time.Time
	Log    *slog.Logger
}

// Register registers the reports, their setting and the overview.
func (h *Handler) Register(api operation.API) {
	h.registerReporting(api)
	h.registerReports(api)
	h.registerOverview(api)
}
