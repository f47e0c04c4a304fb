package merchant

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/httprate"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/accounts"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
)

// Deps are the dependencies and the settings of the API.
type Deps struct {
	Store    *postgres.Store
	Temporal client.Client
	Box      *secret.Box
	Index    *secret.BlindIndex
	Prices   service.Prices
	// Quotes gets quotes of swaps; nil if there are no providers.
	Quotes *swapquote.Quotes
	// FeeRate is the operator's share of a payout if neither the merchant nor a volume tier has a
	// rate: 0.005 is half a percent.
	FeeRate money.Decimal
	// JWTSecret signs session tokens: at least 32 bytes.
	JWTSecret []byte
	Clock     func() time.Time
	Log       *slog.Logger
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
	// PublicURL is the base URL that customers see. OnionURL is that of the onion mirror, or empty.
	// Both have no trailing slash.
	PublicURL, OnionURL string
	// MinWait is the minimum time that a request waits for its workflow. 0 means the default,
	// which is some seconds.
	MinWait time.Duration
	// Wakeups sends the wakeups of new charges; nil leaves that to the workers.
	Wakeups *outbox.Queue
	Charges *chargestore.Charges
	// SimulatedSandbox is set if charges of the sandbox are simulated.
	SimulatedSandbox bool
	// HashMemory is the memory for hashing one password, in KiB. 0 means account.HashMemory.
	HashMemory uint32
	// Mails is set when a mail server is configured. Merchants then get mails about changes of
	// their accounts, and can reset their passwords.
	Mails bool
	// StepUp is set when a session must give the password again before it changes payout settings,
	// the second factor or keys.
	StepUp bool
	// PayoutHold is how long sweeps wait after a change of their address. 0 means that they do not
	// wait.
	PayoutHold time.Duration
	// AdminPublic is set when operators are served on the public listener too, not only on the
	// internal one.
	AdminPublic bool
	// SignUp is the rule for opening accounts. When it is empty, anyone may open one.
	SignUp config.SignUp
	// OperatorName and OperatorContact say who runs the service, and how to reach them; empty for
	// not saying it.
	OperatorName, OperatorContact string
	// Desk is set when the merchants' desk is served.
	Desk bool
	// Reporting is set if reports are switched on for a new account.
	Reporting bool
	// VerifyEmail is set when merchants have to confirm their addresses by mail.
	VerifyEmail bool
	// Custody is which wallets shops may have. When it is empty, they may have both kinds.
	Custody config.Custody
	// Counter counts the requests of a bucket for the rate limits. nil turns the rate limits off,
	// but lockouts and blocks stay on.
	Counter func(bucket string) httprate.LimitCounter
	// Observed is called after each answered request, with its route pattern; nil if requests are
	// not counted.
	Observed func(route string, status int, took time.Duration)
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// ChargeTimeout is how long a charge waits for payment. The Greenfield surface shows it in the
	// settings of a store.
	ChargeTimeout time.Duration
	// ConfirmGrace is the setting of operator.Admin.
	ConfirmGrace time.Duration
	// TemporalUI is the address of the Temporal UI for browsers, without a trailing slash; empty
	// for no links to it. TemporalNamespace is the namespace in those links.
	TemporalUI, TemporalNamespace string
}

// parts are created once from the dependencies and shared by the rooms.
type parts struct {
	start     service.Workflows
	passwords *account.Passwords
	tokens    *account.Tokens
	errors    httpapi.Errors
	limits    *access.Limits
	guard     *access.Guard
	confirm   access.Asker
	logins    access.Judge
	notices   notice.Notices
	refunds   service.RefundLinks
	admin     *operator.Admin
	// walletKeys checks the keys of shops' own wallets.
	walletKeys accounts.WalletKeys
}

func newParts(d Deps) (parts, error) {
	passwords, err := account.NewPasswords(cmp.Or(d.HashMemory, account.HashMemory))
	if err != nil {
		return parts{}, err
	}
	tokens, err := account.NewTokens(d.JWTSecret, d.Clock)
	if err != nil {
		return parts{}, err
	}
	p := parts{start: service.Workflows{
		Client: d.Temporal, MinWait: d.MinWait, Charges: d.Charges, Wakeups: d.Wakeups, Clock: d.Clock,
	}, passwords: passwords, tokens: tokens, errors: httpapi.Errors{Log: d.Log}}
	p.limits = access.NewLimits(access.LimitSettings{
		Counter: d.Counter, Key: d.JWTSecret, Clock: d.Clock, OnionURL: d.OnionURL, Index: d.Index,
		TrustedProxies: d.TrustedProxies, Errors: p.errors,
	})
	p.guard = access.NewGuard(access.GuardSettings{
		Store: d.Store, Tokens: tokens, Limits: p.limits, Errors: p.errors, Clock: d.Clock, Counter: d.Counter,
		StepUp: d.StepUp, AdminPublic: d.AdminPublic, VerifyEmail: d.VerifyEmail,
	})
	p.confirm = access.Asker{Store: d.Store, Box: d.Box, Clock: d.Clock, Passwords: passwords, Limits: p.limits}
	p.logins = access.Judge{
		Store: d.Store, Index: d.Index, Passwords: passwords, Confirm: p.confirm, Clock: d.Clock, VerifyEmail: d.VerifyEmail,
		TrustedProxies: d.TrustedProxies,
	}
	p.walletKeys = accounts.WalletKeys{Box: d.Box, Index: d.Index, Custody: d.Custody}
	p.notices = notice.Notices{Box: d.Box, Clock: d.Clock, Mails: d.Mails}
	if d.Mails {
		p.logins.NetworkKey = secret.Derived(d.JWTSecret, "login networks")
	}
	p.refunds = service.RefundLinks{
		Store: d.Store, Box: d.Box, Start: p.start, Terms: chargestore.RefundTerms{Prices: d.Prices, FeeRate: d.FeeRate}, Leave: p.guard.RefundLeave,
		Notices: p.notices, Clock: d.Clock, PublicURL: d.PublicURL,
	}
	p.admin = &operator.Admin{
		Store: d.Store, Box: d.Box, Index: d.Index, Clock: d.Clock, FeeRate: d.FeeRate,
		ConfirmGrace: d.ConfirmGrace, Notices: p.notices,
	}
	return p, nil
}
