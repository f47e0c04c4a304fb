package greenfield

import (
	"time"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/merchant/refundlinks"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Deps holds the surface's dependencies, which it shares with the merchants' API.
type Deps struct {
	Store  *postgres.Store
	Box    *secret.Box
	Guard  *auth.Guard
	Limits *limits.Limits
	Errors answer.Errors
	Start  start.Workflows
	// Refunds creates refunds and takes claims.
	Refunds refundlinks.Links
	// Notices sends notices to merchants by mail.
	Notices notice.Notices
	Prices  checkout.Prices
	Clock   func() time.Time
	// ChargeTimeout is how long a charge awaits payment unless it sets its own timeout.
	ChargeTimeout time.Duration
	// PublicURL is the base URL that customers see, OnionURL that of the onion
	// mirror or empty; both without a trailing slash.
	PublicURL, OnionURL string
}
