package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"
)

// Merchant is one merchant's access. The zero credential calls public routes.
type Merchant struct {
	// BaseURL is the service's, without a trailing slash.
	BaseURL string
	// Token is the JWT; APIKey goes with the routes that take a key.
	Token, APIKey string
	// HTTP makes the calls; http.DefaultClient when nil.
	HTTP *http.Client
}

// StatusError is an answer other than 2xx.
type StatusError struct {
	Status int
	// Message is the error text of the answer, for humans.
	Message string
	// RetryAfter is what the answer asks to wait for; 0 when it asks nothing.
	RetryAfter time.Duration
}

// Error tells status and text.
func (e *StatusError) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Message) }

// Status is the HTTP status of a failed call; 0 when there was no answer.
func Status(err error) int {
	if answer, ok := errors.AsType[*StatusError](err); ok {
		return answer.Status
	}
	return 0
}

// WithKey is the same merchant with another API key.
func (c *Merchant) WithKey(key string) *Merchant {
	other := *c
	other.APIKey = key
	return &other
}

// get reads a route, such as GET /api/charges, and post sends a body to one, unless it is nil.
func get[T any](ctx context.Context, c *Merchant, path string) (answer T, err error) {
	err = c.call(ctx, "GET "+path, nil, &answer)
	return answer, err
}

func post[T any](ctx context.Context, c *Merchant, path string, body any) (answer T, err error) {
	err = c.call(ctx, "POST "+path, body, &answer)
	return answer, err
}

// list reads a route whose answer has a list under a name.
func list[T any](ctx context.Context, c *Merchant, path, name string) (items []T, err error) {
	answer, err := get[map[string]json.RawMessage](ctx, c, path)
	if err != nil {
		return nil, err
	}
	return items, json.Unmarshal(answer[name], &items)
}

// call sends body as JSON to a route, when there is one, and decodes the answer.
func (c *Merchant) call(ctx context.Context, route string, body, answer any) error {
	header := map[string]string{}
	if c.Token != "" {
		header["Authorization"] = "Bearer " + c.Token
	}
	if c.APIKey != "" {
		header["X-Api-Key"] = c.APIKey
	}
	return c.callAs(ctx, header, route, body, answer)
}

func (c *Merchant) callAs(ctx context.Context, header map[string]string, route string, body, answer any) error {
	method, path, _ := strings.Cut(route, " ")
	got, err := Send(ctx, c.HTTP, method, c.BaseURL+path, header, body)
	if err == nil && got.Status/100 != 2 {
		err = refusal(got)
	}
	if err == nil && answer != nil {
		err = json.Unmarshal(got.Body, answer)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", route, err)
	}
	return nil
}

func refusal(answer Answer) error {
	e := &StatusError{Status: answer.Status}
	var body struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(answer.Body, &body); err != nil {
		e.Message = "the answer is not an error of the contract: " + err.Error()
	} else {
		e.Message = body.Error
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

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

// SetWallet has customers pay the shop's own wallet.
func (c *Merchant) SetWallet(ctx context.Context, primaryAddress, viewKey string) error {
	return c.call(ctx, "PUT /api/account/wallet", map[string]string{"primary_address": primaryAddress, "private_view_key": viewKey}, nil)
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
