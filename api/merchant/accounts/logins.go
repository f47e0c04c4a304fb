package accounts

import (
	"context"
	"encoding/json"
	"net/netip"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/api/web"
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
	// Reporting is set if reports are switched on for a new account.
	Reporting bool
}

// Register registers sign-up, login and the changes of credentials. The pages that open from
// links in mails are not here: they call Logins's exported methods.
func (h *Logins) Register(api operation.API) {
	operation.Public(api, operation.Route{ID: "signup", At: "POST /api/auth/signup", Limit: access.Auth}, h.signup)
	operation.Public(api, operation.Route{ID: "login", At: "POST /api/auth/login", Limit: access.Auth}, h.login)
	operation.Public(api, operation.Route{ID: "forgotPassword", At: "POST /api/auth/forgot-password", Limit: access.Auth}, h.forgotPassword)
	operation.Public(api, operation.Route{ID: "resetPassword", At: "POST /api/auth/reset-password", Limit: access.Auth}, h.resetPassword)
	operation.Public(api, operation.Route{ID: "resendVerification", At: "POST /api/auth/resend-verification", Limit: access.Auth}, h.resendVerification)
	operation.WithSession(api, operation.Route{ID: "setPassword", At: "PUT /api/account/password"}, h.setPassword)
	operation.WithSession(api, operation.Route{ID: "setEmail", At: "PUT /api/account/email", Limit: access.Mail}, h.setEmail)
}

type credentials struct {
	Email      string  `json:"email" example:"shop@example.com"`
	Password   string  `json:"password" example:"correct horse battery staple"`
	TOTPCode   *string `json:"totp_code,omitempty" doc:"Six digits; only when two-factor authentication is on. Good for its half minute and one to either side, and once" example:"123456"`
	BackupCode *string `json:"backup_code,omitempty" doc:"A backup code in place of totp_code; each works once" example:"abcd-efgh-2345-ijkl"`
}

// factor returns the second factor of the credentials. It is empty when the client sent none.
func (c credentials) factor() access.Factor {
	return access.Factor{TOTP: web.OrEmpty(c.TOTPCode), Backup: web.OrEmpty(c.BackupCode)}
}

type knownMerchant struct {
	ID           int64  `json:"id" doc:"Number of the account" example:"1"`
	Email        string `json:"email" example:"shop@example.com"`
	BusinessName string `json:"businessName" example:"Example Shop"`
}

type loginResult struct {
	Merchant knownMerchant `json:"merchant"`
	Token    string        `json:"token" doc:"Session token (JWT), valid for 7 days"`
}

type twoFactorChallenge struct {
	Requires2FA bool `json:"requires_2fa" doc:"Always true: send the login again with totp_code or backup_code"`
}

// loginAnswer is a loginResult, or a twoFactorChallenge.
type loginAnswer struct{ value any }

// MarshalJSON writes the value that is set.
func (l loginAnswer) MarshalJSON() ([]byte, error) { return json.Marshal(l.value) }

// Schema describes both forms.
func (loginAnswer) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[loginResult](), true, ""), r.Schema(reflect.TypeFor[twoFactorChallenge](), true, ""),
	}}
}

func (h *Logins) login(ctx context.Context, in *struct {
	Body httpapi.Body[credentials]
	httpapi.FromClient
}) (*httpapi.Out[loginAnswer], error) {
	fields := in.Body.Value()
	ip := web.ClientIP(in.Remote(), h.TrustedProxies)
	m, err := h.Logins.Password(ctx, fields.Email, fields.Password, ip)
	if err != nil {
		return nil, err
	}
	if m.TotpEnabledAt != nil && !fields.factor().Given() {
		return httpapi.With(loginAnswer{twoFactorChallenge{true}}, nil)
	}
	if err := h.Logins.SecondFactor(ctx, m, fields.factor(), ip); err != nil {
		return nil, err
	}
	if err := h.Logins.Refused(m); err != nil {
		return nil, err
	}
	email, err := h.Box.Unseal(m.EmailSealed, secret.EmailPlace.Of(m.MerchantID))
	if err != nil {
		return nil, err
	}
	if err := h.Logins.Succeeded(in.Remote(), m.MerchantID); err != nil {
		return nil, err
	}
	token, err := h.Tokens.Issue(account.Session{MerchantID: m.MerchantID, Version: m.TokenVersion})
	return httpapi.With(loginAnswer{loginResult{knownMerchant{m.ID, string(email), m.BusinessName}, token}}, err)
}
