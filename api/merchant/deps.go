package merchant

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/httprate"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/merchant/confirm"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/merchant/login"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/starter"
	"github.com/durapay/durapay/internal/swapquote"
	"github.com/durapay/durapay/workflows"
)

// Deps is everything that the API works with.
type Deps struct {
	Store    *postgres.Store
	Temporal client.Client
	Box      *secret.Box
	Index    *secret.BlindIndex
	Prices   checkout.Prices
	// Quotes is where swaps are quoted; nil when there are no providers.
	Quotes *swapquote.Quotes
	// FeeRate is the operator's share of a payout where neither the merchant nor a
	// volume tier has a rate: 0.005 is half a percent.
	FeeRate money.Decimal
	// JWTSecret signs session tokens: at least 32 bytes.
	JWTSecret []byte
	Clock     func() time.Time
	Log       *slog.Logger
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
	// PublicURL is the base URL that customers see, OnionURL that of the onion
	// mirror or empty; both without a trailing slash.
	PublicURL, OnionURL string
	// Patience is the least that a request waits for its workflow; 0 leaves it
	// at what is usual, which is some seconds.
	Patience time.Duration
	// Starts starts the workflows of what MakeCharge wrote; nil leaves that to the workers.
	Starts *starter.Queue
	// MakeCharge is start.Workflows.MakeCharge.
	MakeCharge func(ctx context.Context, in workflows.CreateCharge) (charge.Charge, error)
	// SimulatedSandbox says that MakeCharge makes simulated charges in the sandbox.
	SimulatedSandbox bool
	// HashMemory is what hashing a password takes, in KiB; 0 stands for
	// account.HashMemory.
	HashMemory uint32
	// Mails is set when a mail server is configured: merchants are told of changes
	// of their accounts, and can have their passwords reset.
	Mails bool
	// StepUp is set when changes of where money goes, of the second factor and of
	// keys ask for the password again.
	StepUp bool
	// PayoutHold is how long sweeps wait after the address that they go to was
	// changed; 0 for not at all.
	PayoutHold time.Duration
	// AdminPublic is set when operators are served on the public listener as well
	// as on the internal one.
	AdminPublic bool
	// SignUp says who may open an account; empty is anybody.
	SignUp config.SignUp
	// Desk is set when the merchants' desk is served.
	Desk bool
	// VerifyEmail is set when merchants have to confirm their addresses by mail.
	VerifyEmail bool
	// Counter counts the requests of a bucket for the rate limits; nil turns
	// them off. Lockouts and blocks stay on.
	Counter func(bucket string) httprate.LimitCounter
	// Observed is told of each request that was answered, by route pattern; nil
	// when nobody counts.
	Observed func(route string, status int, took time.Duration)
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// ChargeTimeout is how long a charge waits for money, for those who ask the
	// surface for the store's settings.
	ChargeTimeout time.Duration
	// ConfirmGrace is operator.Admin's.
	ConfirmGrace time.Duration
	// TemporalUI is where browsers open the Temporal UI, without a slash at its end;
	// empty for no links to it. TemporalNamespace is Temporal's.
	TemporalUI, TemporalNamespace string
}

// parts is what is made of the dependencies once and shared by the rooms.
type parts struct {
	start     start.Workflows
	passwords *account.Passwords
	tokens    *account.Tokens
	errors    answer.Errors
	limits    *limits.Limits
	guard     *auth.Guard
	confirm   confirm.Asker
	logins    login.Judge
	notices   notice.Notices
	admin     *operator.Admin
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
	p := parts{start: start.Workflows{
		Client: d.Temporal, Patience: d.Patience, MakeCharge: d.MakeCharge, Starts: d.Starts, Clock: d.Clock,
	}, passwords: passwords, tokens: tokens, errors: answer.Errors{Log: d.Log}}
	p.limits = limits.New(limits.Settings{
		Counter: d.Counter, Key: d.JWTSecret, Clock: d.Clock, OnionURL: d.OnionURL, Index: d.Index,
		TrustedProxies: d.TrustedProxies, Errors: p.errors,
	})
	p.guard = auth.New(auth.Settings{
		Store: d.Store, Tokens: tokens, Limits: p.limits, Errors: p.errors, Clock: d.Clock, Counter: d.Counter,
		StepUp: d.StepUp, AdminPublic: d.AdminPublic, VerifyEmail: d.VerifyEmail,
	})
	p.confirm = confirm.Asker{Store: d.Store, Box: d.Box, Clock: d.Clock, Passwords: passwords, Limits: p.limits}
	p.logins = login.Judge{
		Store: d.Store, Index: d.Index, Passwords: passwords, Confirm: p.confirm, Clock: d.Clock, VerifyEmail: d.VerifyEmail,
		TrustedProxies: d.TrustedProxies,
	}
	p.notices = notice.Notices{Box: d.Box, Clock: d.Clock}
	if d.Mails {
		p.notices.Start = p.start.Mail
		p.logins.NetworkKey = secret.Derived(d.JWTSecret, "login networks")
	}
	p.admin = &operator.Admin{
		Store: d.Store, Box: d.Box, Index: d.Index, Clock: d.Clock, FeeRate: d.FeeRate, Redeliver: p.start.Redeliver,
		ConfirmGrace: d.ConfirmGrace, Notices: p.notices,
	}
	return p, nil
}
