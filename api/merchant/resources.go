package merchant

import (
	"github.com/durapay/durapay/api/merchant/accounts"
	"github.com/durapay/durapay/api/merchant/admin"
	"github.com/durapay/durapay/api/merchant/charges"
	"github.com/durapay/durapay/api/merchant/funds"
	"github.com/durapay/durapay/api/merchant/webhooks"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/secret"
)

type resource interface{ Register(api operation.API) }

// resources are all resources of the API. The named ones serve pages too.
type resources struct {
	access   *accounts.Logins
	charges  *charges.Charges
	keys     *accounts.Keys
	refunds  *funds.Refunds
	requests *charges.PaymentRequests
	settings *accounts.Settings
	apiOnly  []resource
}

// newResources gives every resource the dependencies that it needs, and no more.
func newResources(d Deps, p parts) resources {
	return resources{
		access: &accounts.Logins{
			Store: d.Store, Box: d.Box, Index: d.Index, Start: p.start, Passwords: p.passwords, Tokens: p.tokens, Confirm: p.confirm, Logins: p.logins,
			Limits: p.limits, Notices: p.notices, Admin: p.admin, Clock: d.Clock, TrustedProxies: d.TrustedProxies, SignUp: d.SignUp,
			VerifyEmail: d.VerifyEmail, PayoutHold: d.PayoutHold, Mails: d.Mails, Reporting: d.Reporting,
		},
		charges: &charges.Charges{Store: d.Store, Start: p.start, Clock: d.Clock, PublicURL: d.PublicURL, Mails: d.Mails},
		keys: &accounts.Keys{
			Store: d.Store, Confirm: p.confirm, Logins: p.logins, Notices: p.notices, Clock: d.Clock, TrustedProxies: d.TrustedProxies,
			GrantKey: secret.Derived(d.JWTSecret, "grants"),
		},
		refunds: &funds.Refunds{Links: p.refunds},
		requests: &charges.PaymentRequests{
			Store: d.Store, Start: p.start, Prices: d.Prices, Limits: p.limits, Clock: d.Clock, Log: d.Log, PublicURL: d.PublicURL, Mails: d.Mails,
		},
		settings: &accounts.Settings{
			Store: d.Store, Box: d.Box, Confirm: p.confirm, Notices: p.notices, Quotes: d.Quotes, Clock: d.Clock, FeeRate: d.FeeRate,
			PayoutHold: d.PayoutHold, Mails: d.Mails, Custody: d.Custody,
		},
		apiOnly: []resource{
			&accounts.TwoFactor{Store: d.Store, Box: d.Box, Confirm: p.confirm, Notices: p.notices, Clock: d.Clock},
			&charges.Buttons{Store: d.Store, Start: p.start, Limits: p.limits, Clock: d.Clock, PublicURL: d.PublicURL},
			&webhooks.Handler{Store: d.Store, Webhooks: service.Webhooks{Box: d.Box, Clock: d.Clock}, Clock: d.Clock},
			&funds.Payouts{Store: d.Store, Start: p.start, Clock: d.Clock, FeeRate: d.FeeRate, Custody: d.Custody},
			&funds.Reports{Store: d.Store, Errors: p.errors, Clock: d.Clock, Log: d.Log},
			&charges.Prices{Prices: d.Prices},
			&funds.Swaps{Store: d.Store, Box: d.Box, Start: p.start, Quotes: d.Quotes, Clock: d.Clock, Log: d.Log},
			&admin.Admin{Admin: p.admin},
			&charges.Sandbox{Store: d.Store, Start: p.start, Clock: d.Clock, PublicURL: d.PublicURL, Simulated: d.SimulatedSandbox},
			&accounts.Staff{
				Store: d.Store, Box: d.Box, Confirm: p.confirm, Notices: p.notices, Clock: d.Clock, PayoutHold: d.PayoutHold, PublicURL: d.PublicURL,
			},
			&accounts.Wallet{
				Store: d.Store, Confirm: p.confirm, Notices: p.notices, Clock: d.Clock, PayoutHold: d.PayoutHold, Keys: p.walletKeys,
			},
			&admin.Probes{Ready: d.Ready},
		},
	}
}

func (r resources) register(api operation.API) {
	for _, one := range append([]resource{r.access, r.charges, r.keys, r.refunds, r.requests, r.settings}, r.apiOnly...) {
		one.Register(api)
	}
}
