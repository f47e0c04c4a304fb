package greenfield

import (
	"github.com/durapay/durapay/api/greenfield/invoices"
	"github.com/durapay/durapay/api/greenfield/pullpayments"
	"github.com/durapay/durapay/api/greenfield/route"
	"github.com/durapay/durapay/api/greenfield/server"
	"github.com/durapay/durapay/api/greenfield/stores"
	"github.com/durapay/durapay/api/greenfield/webhooks"
	"github.com/durapay/durapay/api/merchant/subscribe"
)

// room adds the routes of a resource.
type room interface{ Register(api route.API) }

// newRooms creates the rooms and gives each one only the dependencies that it needs.
func newRooms(d Deps) []room {
	return []room{
		&server.Handler{Store: d.Store, Notices: d.Notices, Clock: d.Clock, OnionURL: d.OnionURL},
		&stores.Handler{Store: d.Store, ChargeTimeout: d.ChargeTimeout},
		&webhooks.Handler{Store: d.Store, Webhooks: subscribe.Webhooks{Box: d.Box, Clock: d.Clock}, Clock: d.Clock},
		&invoices.Handler{Store: d.Store, Start: d.Start, Clock: d.Clock, PublicURL: d.PublicURL},
		&pullpayments.Handler{Links: d.Refunds},
	}
}
