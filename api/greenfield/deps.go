package greenfield

import (
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Deps holds the surface's dependencies, which it shares with the merchants' API.
type Deps struct {
	Store  *postgres.Store
	Box    *secret.Box
	Guard  *access.Guard
	Limits *access.Limits
	Errors httpapi.Errors
	Start  service.Workflows
	// Refunds creates refunds and takes claims.
	Refunds service.RefundLinks
	// Notices sends notices to merchants by mail.
	Notices notice.Notices
	Prices  service.Prices
	Clock   func() time.Time
	// ChargeTimeout is how long a charge awaits payment unless it sets its own timeout.
	ChargeTimeout time.Duration
	// PublicURL is the base URL that customers see, OnionURL that of the onion
	// mirror or empty; both without a trailing slash.
	PublicURL, OnionURL string
}
