package clients

import (
	"context"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"
)

// Account is what signing up returns.
type Account struct {
	Merchant struct {
		ID           int64  `json:"id"`
		MerchantID   string `json:"merchant_id"`
		Email        string `json:"email"`
		BusinessName string `json:"businessName"`
	} `json:"merchant"`
	Token   string `json:"token"`
	APIKeys struct {
		Production string `json:"production"`
		Sandbox    string `json:"sandbox"`
	} `json:"apiKeys"`
}

// SignUp makes an account and returns it with a client that uses its token
// and its production key.
func SignUp(ctx context.Context, baseURL, email, password, name string) (Account, *Merchant, error) {
	c := &Merchant{BaseURL: baseURL}
	account, err := c.SignUp(ctx, email, password, name, "")
	return account, c, err
}

// SignUp makes an account, whose token and production key the client uses from
// then on. An invite is sent where there is one.
func (c *Merchant) SignUp(ctx context.Context, email, password, name, invite string) (Account, error) {
	body := map[string]string{"email": email, "password": password, "businessName": name}
	if invite != "" {
		body["invite"] = invite
	}
	account, err := post[Account](ctx, c, "/api/auth/signup", body)
	c.Token, c.APIKey = account.Token, account.APIKeys.Production
	return account, err
}

// LogIn gets a new token, which the client uses from now on.
func (c *Merchant) LogIn(ctx context.Context, email, password string) error {
	answer, err := post[struct {
		Token string `json:"token"`
	}](ctx, c, "/api/auth/login", map[string]string{"email": email, "password": password})
	if err == nil {
		c.Token = answer.Token
	}
	return err
}

// SetPayoutAddress names where sweeps go.
func (c *Merchant) SetPayoutAddress(ctx context.Context, address string) error {
	return c.call(ctx, "PUT /api/account/payout", map[string]string{"address": address}, nil)
}

// SecondFactor switches two-factor authentication on and returns backup codes, each
// good once.
func (c *Merchant) SecondFactor(ctx context.Context) ([]string, error) {
	made, err := post[struct {
		Secret string   `json:"secret"`
		Backup []string `json:"backupCodes"`
	}](ctx, c, "/api/auth/2fa/setup", nil)
	if err != nil {
		return nil, err
	}
	code, err := totp.GenerateCode(made.Secret, time.Now())
	if err != nil {
		return nil, err
	}
	return made.Backup, c.call(ctx, "POST /api/auth/2fa/verify", map[string]string{"code": code}, nil)
}

// CreateApplicationKey makes a key of live mode for an application with these permissions.
func (c *Merchant) CreateApplicationKey(ctx context.Context, permissions ...string) (string, error) {
	body := map[string]any{"label": "Application", "mode": "live", "permissions": permissions}
	made, err := post[struct {
		Key string `json:"key"`
	}](ctx, c, "/api/account/application-keys", body)
	return made.Key, err
}

// InviteStaff makes an invite for a role and returns its token.
func (c *Merchant) InviteStaff(ctx context.Context, role string) (string, error) {
	made, err := post[struct {
		Link string `json:"link"`
	}](ctx, c, "/api/account/staff/invites", map[string]any{"role": role, "note": "Saturdays"})
	return made.Link[strings.LastIndex(made.Link, "/")+1:], err
}

// JoinShop joins a shop by the token of an invite.
func (c *Merchant) JoinShop(ctx context.Context, token string) error {
	return c.call(ctx, "POST /api/account/shops", map[string]string{"token": token}, nil)
}
