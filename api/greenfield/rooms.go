package greenfield

import (
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/greenfield/invoices"
	"github.com/durapay/durapay/api/greenfield/pullpayments"
	"github.com/durapay/durapay/api/greenfield/server"
	"github.com/durapay/durapay/api/greenfield/webhooks"
	"github.com/durapay/durapay/api/service"
)

// room adds the routes of a resource.
type room interface{ Register(api dialect.API) }

// newRooms creates the rooms and gives each one only the dependencies that it needs.
func newRooms(d Deps) []room {
	return []room{
		&server.Server{Store: d.Store, Notices: d.Notices, Clock: d.Clock, OnionURL: d.OnionURL},
		&server.Stores{Store: d.Store, ChargeTimeout: d.ChargeTimeout},
		&webhooks.Handler{Store: d.Store, Webhooks: service.Webhooks{Box: d.Box, Clock: d.Clock}, Clock: d.Clock},
		&invoices.Handler{Store: d.Store, Start: d.Start, Clock: d.Clock, PublicURL: d.PublicURL},
		&pullpayments.Handler{Links: d.Refunds},
	}
}
