package greenfield

import (
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/greenfield/invoices"
	"github.com/durapay/durapay/api/greenfield/pullpayments"
	"github.com/durapay/durapay/api/greenfield/server"
	"github.com/durapay/durapay/api/greenfield/webhooks"
	"github.com/durapay/durapay/api/service"
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
