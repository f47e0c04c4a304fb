package merchant

import (
	"github.com/durapay/durapay/api/merchant/access"
	"github.com/durapay/durapay/api/merchant/admin"
	"github.com/durapay/durapay/api/merchant/buttons"
	"github.com/durapay/durapay/api/merchant/charges"
	"github.com/durapay/durapay/api/merchant/keys"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/paymentrequests"
	"github.com/durapay/durapay/api/merchant/payouts"
	"github.com/durapay/durapay/api/merchant/prices"
	"github.com/durapay/durapay/api/merchant/probes"
	"github.com/durapay/durapay/api/merchant/refunds"
	"github.com/durapay/durapay/api/merchant/reports"
	"github.com/durapay/durapay/api/merchant/sandbox"
	"github.com/durapay/durapay/api/merchant/settings"
	"github.com/durapay/durapay/api/merchant/staff"
	"github.com/durapay/durapay/api/merchant/subscribe"
	"github.com/durapay/durapay/api/merchant/swaps"
	"github.com/durapay/durapay/api/merchant/twofactor"
	"github.com/durapay/durapay/api/merchant/webhooks"
	"github.com/durapay/durapay/internal/secret"
)

// room adds the operations of one resource.
type room interface{ Register(api operation.API) }

// rooms are the handlers of all resources. The named ones serve pages too.
type rooms struct {
	access   *access.Handler
	charges  *charges.Handler
	keys     *keys.Handler
	refunds  *refunds.Handler
	requests *paymentrequests.Handler
	settings *settings.Handler
	others   []room
}

// newRooms gives every room the dependencies that it needs, and no more.
func newRooms(d Deps, p parts) rooms {
	return rooms{
		access: &access.Handler{
			Store: d.Store, Box: d.Box, Index: d.Index, Start: p.start, Passwords: p.passwords, Tokens: p.tokens, Confirm: p.confirm, Logins: p.logins,
			Limits: p.limits, Notices: p.notices, Admin: p.admin, Clock: d.Clock, TrustedProxies: d.TrustedProxies, SignUp: d.SignUp,
			VerifyEmail: d.VerifyEmail, PayoutHold: d.PayoutHold, Mails: d.Mails,
		},
		charges: &charges.Handler{Store: d.Store, Start: p.start, Clock: d.Clock, PublicURL: d.PublicURL},
		keys: &keys.Handler{
			Store: d.Store, Confirm: p.confirm, Logins: p.logins, Notices: p.notices, Clock: d.Clock, TrustedProxies: d.TrustedProxies,
			GrantKey: secret.Derived(d.JWTSecret, "grants"),
		},
		refunds: &refunds.Handler{Links: p.refunds},
		requests: &paymentrequests.Handler{
			Store: d.Store, Start: p.start, Prices: d.Prices, Limits: p.limits, Clock: d.Clock, Log: d.Log, PublicURL: d.PublicURL,
		},
		settings: &settings.Handler{
			Store: d.Store, Box: d.Box, Confirm: p.confirm, Notices: p.notices, Quotes: d.Quotes, Clock: d.Clock, FeeRate: d.FeeRate,
			PayoutHold: d.PayoutHold, Mails: d.Mails,
		},
		others: []room{
			&twofactor.Handler{Store: d.Store, Box: d.Box, Confirm: p.confirm, Notices: p.notices, Clock: d.Clock},
			&buttons.Handler{Store: d.Store, Start: p.start, Limits: p.limits, Clock: d.Clock, PublicURL: d.PublicURL},
			&webhooks.Handler{Store: d.Store, Webhooks: subscribe.Webhooks{Box: d.Box, Clock: d.Clock}, Clock: d.Clock},
			&payouts.Handler{Store: d.Store, Start: p.start, Clock: d.Clock, FeeRate: d.FeeRate},
			&reports.Handler{Store: d.Store, Errors: p.errors, Clock: d.Clock, Log: d.Log},
			&prices.Handler{Prices: d.Prices},
			&swaps.Handler{Store: d.Store, Box: d.Box, Start: p.start, Quotes: d.Quotes, Clock: d.Clock, Log: d.Log},
			&admin.Handler{Admin: p.admin},
			&sandbox.Handler{Store: d.Store, Start: p.start, Clock: d.Clock, PublicURL: d.PublicURL, Simulated: d.SimulatedSandbox},
			&staff.Handler{
				Store: d.Store, Box: d.Box, Confirm: p.confirm, Notices: p.notices, Clock: d.Clock, PayoutHold: d.PayoutHold, PublicURL: d.PublicURL,
			},
			&probes.Handler{Ready: d.Ready},
		},
	}
}

func (r rooms) register(api operation.API) {
	for _, room := range append([]room{r.access, r.charges, r.keys, r.refunds, r.requests, r.settings}, r.others...) {
		room.Register(api)
	}
}
