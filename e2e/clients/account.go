package clients

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
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
	var account Account
	err := c.call(ctx, http.MethodPost, "/api/auth/signup", body, &account)
	c.Token, c.APIKey = account.Token, account.APIKeys.Production
	return account, err
}

// LogIn gets a new token, which the client uses from now on.
func (c *Merchant) LogIn(ctx context.Context, email, password string) error {
	var answer struct {
		Token string `json:"token"`
	}
	err := c.call(ctx, http.MethodPost, "/api/auth/login",
		map[string]string{"email": email, "password": password}, &answer)
	if err == nil {
		c.Token = answer.Token
	}
	return err
}

// SetPayoutAddress names where sweeps go.
func (c *Merchant) SetPayoutAddress(ctx context.Context, address string) error {
	return c.call(ctx, http.MethodPut, "/api/account/payout", map[string]string{"address": address}, nil)
}

// SecondFactor switches two-factor authentication on and returns backup codes, each
// good once.
func (c *Merchant) SecondFactor(ctx context.Context) ([]string, error) {
	var made struct {
		Secret string   `json:"secret"`
		Backup []string `json:"backupCodes"`
	}
	if err := c.call(ctx, http.MethodPost, "/api/auth/2fa/setup", nil, &made); err != nil {
		return nil, err
	}
	code, err := totp.GenerateCode(made.Secret, time.Now())
	if err != nil {
		return nil, err
	}
	return made.Backup, c.call(ctx, http.MethodPost, "/api/auth/2fa/verify", map[string]string{"code": code}, nil)
}

// CreateApplicationKey makes a key of live mode for an application with these permissions.
func (c *Merchant) CreateApplicationKey(ctx context.Context, permissions ...string) (string, error) {
	var made struct {
		Key string `json:"key"`
	}
	body := map[string]any{"label": "Application", "mode": "live", "permissions": permissions}
	err := c.call(ctx, http.MethodPost, "/api/account/application-keys", body, &made)
	return made.Key, err
}

// InviteStaff makes an invite for a role and returns its token.
func (c *Merchant) InviteStaff(ctx context.Context, role string) (string, error) {
	var made struct {
		Link string `json:"link"`
	}
	err := c.call(ctx, http.MethodPost, "/api/account/staff/invites", map[string]any{"role": role, "note": "Saturdays"}, &made)
	return made.Link[strings.LastIndex(made.Link, "/")+1:], err
}

// JoinShop joins a shop by the token of an invite.
func (c *Merchant) JoinShop(ctx context.Context, token string) error {
	return c.call(ctx, http.MethodPost, "/api/account/shops", map[string]string{"token": token}, nil)
}

// LogInAtDesk sends the form of a desk's login as a browser does. It returns the page that
// follows and a client with the cookie of the session.
func LogInAtDesk(ctx context.Context, address string, form url.Values) (page string, session *http.Client, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	session = &http.Client{Jar: jar}
	resp, err := session.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return string(body), session, err
}
