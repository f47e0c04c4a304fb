package opdesk

import (
	"encoding/base64"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

const cookieName = "durapay_operator"

// session is the session of an operator who has logged in. The cookie holds it, signed. The
// database stores only that a session has ended, so that it can be ended before it expires.
type session struct {
	ID         string `json:"i"`
	MerchantID string `json:"m"`
	// Version is the account's token version: a new password ends the session.
	Version int32 `json:"v"`
	// LoginAt and Ends are in Unix seconds.
	LoginAt int64 `json:"l"`
	Ends    int64 `json:"e"`
}

// begin begins a session after the API has accepted the login.
func (v *visit) begin(login account.Session) {
	v.session = session{
		ID: secret.NewID("op_"), MerchantID: login.MerchantID, Version: login.Version,
		LoginAt: login.LoginAt.Unix(), Ends: login.LoginAt.Add(account.AdminSessionLife).Unix(),
	}
}

// keepSession sets the session's cookie.
func (v *visit) keepSession() {
	v.setCookie(secret.Sign(v.Key, "session", v.session), int(v.session.Ends-v.Clock().Unix()))
}

// readSession reads the session from the cookie. It returns errNoSession if there is none or
// it has ended.
func (v *visit) readSession() error {
	cookie, err := v.r.Cookie(cookieName)
	if err != nil || !secret.Unsign(v.Key, "session", cookie.Value, &v.session) || v.Clock().Unix() >= v.session.Ends {
		return errNoSession
	}
	_, err = v.Store.GetSession(v.r.Context(), db.GetSessionParams{ID: v.session.ID, MerchantID: v.session.MerchantID})
	switch {
	case postgres.IsNotFound(err):
		return nil
	case err != nil:
		return err
	default: // its end was stored
		return errNoSession
	}
}

// endSession ends the session for every copy of its cookie. A second call changes nothing.
func (v *visit) endSession() error {
	_, err := v.Store.EndLogin(v.r.Context(), db.EndLoginParams{
		ID: v.session.ID, MerchantID: v.session.MerchantID, ExpiresAt: time.Unix(v.session.Ends, 0),
	})
	if err == nil {
		v.setCookie("", -1)
	}
	return err
}

// token returns a token of the API for this request. It is as old as the login, and never
// leaves the process.
func (v *visit) token() (string, error) {
	return v.Tokens.Issue(account.Session{
		MerchantID: v.session.MerchantID, Version: v.session.Version, LoginAt: time.Unix(v.session.LoginAt, 0),
	})
}

// formCode returns the code in the forms of the session's pages. Only this session has it.
func (v *visit) formCode() string {
	return base64.RawURLEncoding.EncodeToString(secret.Code(v.Key, "form:"+v.session.ID))
}

func (v *visit) isOwnForm() bool {
	return secret.Equal([]byte(v.r.PostForm.Get("form")), []byte(v.formCode()))
}

// setCookie sets a cookie. It requires TLS if the browser uses TLS; through ssh the browser
// does not.
func (v *visit) setCookie(value string, seconds int) {
	http.SetCookie(v.w, web.Cookie(cookieName, value, Root, seconds, web.CameByTLS(v.r)))
}
