package merchant

import (
	"log/slog"
	"time"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/postgres"
)

// reportsRoom answers requests about reports.
type reportsRoom struct {
	Store  *postgres.Store
	Errors answer.Errors
	Clock  func() time.Time
	Log    *slog.Logger
}

// Register adds the reports and their switch.
func (h *reportsRoom) Register(api operation.API) {
	h.registerReporting(api)
	h.registerReports(api)
}
