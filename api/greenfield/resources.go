package greenfield

import (
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/greenfield/invoices"
	"github.com/durapay/durapay/api/greenfield/pullpayments"
	"github.com/durapay/durapay/api/greenfield/server"
	"github.com/durapay/durapay/api/greenfield/webhooks"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// resource adds its routes.
type resource interface{ Register(api dialect.API) }

// newResources creates the resources and gives each one only the dependencies that it needs.
func newResources(d Deps) []resource {
	return []resource{
		&server.Server{Store: d.Store, Notices: d.Notices, Clock: d.Clock, OnionURL: d.OnionURL},
		&server.Stores{Store: d.Store, ChargeTimeout: d.ChargeTimeout},
		&webhooks.Handler{Store: d.Store, Webhooks: service.Webhooks{Box: d.Box, Clock: d.Clock}, Clock: d.Clock},
		&invoices.Handler{Store: d.Store, Start: d.Start, Clock: d.Clock, PublicURL: d.PublicURL},
		&pullpayments.Handler{Links: d.Refunds},
	}
}

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
