package accounts

import (
	"net/netip"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Logins answers requests about accounts and logins.
type Logins struct {
	Store     *postgres.Store
	Box       *secret.Box
	Index     *secret.BlindIndex
	Start     service.Workflows
	Passwords *account.Passwords
	Tokens    *account.Tokens
	Confirm   access.Asker
	Logins    access.Judge
	Limits    *access.Limits
	Notices   notice.Notices
	// Admin records resets of passwords.
	Admin *operator.Admin
	Clock func() time.Time
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// SignUp is the rule for opening accounts. When it is empty, anyone may open one.
	SignUp config.SignUp
	// VerifyEmail is set when merchants have to confirm their addresses by mail.
	VerifyEmail bool
	// PayoutHold is how long sweeps wait after the payout address was removed. 0 means that they do
	// not wait.
	PayoutHold time.Duration
	// Mails is set when passwords can be reset by mail.
	Mails bool
}

// Register registers sign-up, login and the changes of credentials. The pages that open from
// links in mails are not here: they call Logins's exported methods.
func (h *Logins) Register(api operation.API) {
	h.registerSignup(api)
	h.registerLogin(api)
	h.registerReset(api)
	h.registerVerification(api)
	h.registerCredentials(api)
}
