package greenfield

import (
	"time"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Deps is what the surface is made of; the merchants' API shares it.
type Deps struct {
	Store  *postgres.Store
	Box    *secret.Box
	Guard  *auth.Guard
	Limits *limits.Limits
	Errors answer.Errors
	Start  start.Workflows
	// Notices tells merchants by mail.
	Notices notice.Notices
	Prices  checkout.Prices
	Clock   func() time.Time
	// ChargeTimeout is how long a charge waits for money unless it says otherwise.
	ChargeTimeout time.Duration
	// PublicURL is the base URL that customers see, OnionURL that of the onion
	// mirror or empty; both without a trailing slash.
	PublicURL, OnionURL string
}
