package pages

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/secret"
)

// Connections lets merchants give keys to applications.
type Connections interface {
	// LogIn checks a password. Errors: ErrWrongLogin, ErrLocked, ErrBlocked, ErrSuspended,
	// ErrUnverified; account.ErrBusy.
	LogIn(r *http.Request, email, password string) (Visitor, error)
	// GiveCode checks the two-factor code of a visitor who needs one. Errors: those of LogIn,
	// and ErrLoggedOut.
	GiveCode(r *http.Request, v Visitor, code string) error
	// Shop returns the shop of a login. The shop is Connected if the application already has a
	// key that was sent to this host. Errors: ErrLoggedOut if the login is no longer valid,
	// ErrSuspended, ErrUnverified.
	Shop(ctx context.Context, l Login, application, host string) (Shop, error)
	// Grant creates the key that the merchant consented to and ends the login. Repeating a
	// grant returns the same key. Errors: those of Shop; ErrLoggedOut also if the key was
	// revoked meanwhile; ErrTooManyKeys.
	Grant(ctx context.Context, l Login, g Grant) (key string, err error)
	// Deny ends the login and records the refusal under an id like Grant.ID. Errors: those of
	// Shop; ErrLoggedOut also if the merchant allowed the request earlier.
	Deny(ctx context.Context, l Login, id string) error
}

// Reasons why connecting stops.
var (
	ErrWrongLogin  = errors.New("wrong password or code")
	ErrLocked      = errors.New("locked after failed logins")
	ErrBlocked     = errors.New("network blocked after failed logins")
	ErrSuspended   = errors.New("account suspended")
	ErrUnverified  = errors.New("email address not verified")
	ErrLoggedOut   = errors.New("login counts no more")
	ErrTooManyKeys = errors.New("too many keys")
)

// Visitor is a merchant who gave the right password.
type Visitor struct {
	MerchantID string `json:"m"`
	// Version is the account's version of tokens at that moment.
	Version int32 `json:"v"`
	// NeedsCode is set until the second factor was given.
	NeedsCode bool `json:"c"`
}

// Login is a visitor who has passed all the steps that the account requires. It is valid for
// one answer.
type Login struct {
	Visitor

	// ID is random, one for each login.
	ID   string
	Ends time.Time
}

// Shop is the shop that the page asks about.
type Shop struct {
	Name string
	// Connected reports whether the application already has a key.
	Connected bool
}

// Grant is the merchant's consent.
type Grant struct {
	// ID is random, a different one for each page that asks.
	ID          string
	Permissions permission.Set
	// Application is its name for people. Identifier is its name for itself, or empty.
	Application, Identifier string
	// Host receives the key; empty if the page shows the key.
	Host string
}

// connectPage is a page of connecting: a login, a question, or its end.
type connectPage struct {
	kit.Frame
	Detail string
	// Problem is the error text for the submitted form; empty for none.
	Problem string
	// Form is the target of the page's form. Request is the sealed request in the form.
	Form, Request string
	// Asked is the question; nil if the page asks none.
	Asked *asked
	// Finish sends the key to the application; nil if the key does not go to one.
	Finish *finish
	// Key is the key that the page shows; empty if it shows none.
	Key string
	// SignUp and Forgotten lead to pages of the desk; empty where it does not serve them.
	SignUp, Forgotten string
	// Restart and Back are links; empty for none. BackHost is the host of Back.
	Restart, Back, BackHost string
}

// asked is the application's request.
type asked struct {
	Application, Host, Shop string
	// May lists the permissions in plain words.
	May []string
	// Connected reports whether the application already has a key.
	Connected bool
}

// finish is the form that a browser posts to the application.
type finish struct {
	Action, Host, Key, User string
	Permissions             []string
}

// connect answers the link of an application with the next step: the login, the two-factor
// code or the question.
func (s *Site) connect(w http.ResponseWriter, r *http.Request) {
	a, err := parseAsk(r.URL.Query(), s.plain())
	if err != nil {
		s.refuseAsk(w, r, err)
		return
	}
	sess, ok := s.readSession(r)
	if !ok {
		sess = s.newSession(w, r, nil)
	}
	s.ask(w, r, http.StatusOK, a, sess, nil)
}

// ask shows the visitor's next step. problem is the error of the previous attempt.
func (s *Site) ask(w http.ResponseWriter, r *http.Request, status int, a ask, sess connectSession, problem error) {
	p := s.connectPage(r)
	if r.Method == http.MethodPost {
		p.Languages = ""
	}
	p.Problem = p.problemText(problem)
	switch v := sess.Visitor; {
	case v == nil:
		p.Title, p.Detail = p.T.Text("connect_login.title"), p.T.Text("connect_login.detail", a.Application)
		p.Form, p.Request = p.Keep(account.ConnectPath+"/log-in"), s.seal(a, sess)
		p.SignUp, p.Forgotten = s.SignUpPage, s.ForgottenPage
		s.kit.Render(w, r, status, "connect_login.html", &p)
	case v.NeedsCode:
		p.Title, p.Detail = p.T.Text("connect_code.title"), p.T.Text("connect_code.detail")
		p.Form, p.Request = p.Keep(account.ConnectPath+"/code"), s.seal(a, sess)
		s.kit.Render(w, r, status, "connect_code.html", &p)
	default:
		s.question(w, r, a, sess, &p)
	}
}

// question asks the merchant for consent.
func (s *Site) question(w http.ResponseWriter, r *http.Request, a ask, sess connectSession, p *connectPage) {
	shop, err := s.Connections.Shop(r.Context(), sess.login(), a.Identifier, a.host())
	if errors.Is(err, ErrLoggedOut) {
		s.ask(w, r, http.StatusOK, a, s.newSession(w, r, nil), nil)
		return
	}
	if err != nil {
		s.failConnect(w, r, a, err)
		return
	}
	p.Title, p.Detail = p.T.Text("connect.title"), p.T.Text("connect.detail", a.Application)
	p.Asked = &asked{Application: a.Application, Host: a.host(), Shop: shop.Name, Connected: shop.Connected}
	for _, permission := range a.Permissions {
		p.Asked.May = append(p.Asked.May, p.T.Text(PermissionText(permission)))
	}
	p.Form, p.Request = p.Keep(account.ConnectPath+"/answer"), s.seal(a, sess)
	s.kit.Render(w, r, http.StatusOK, "connect.html", p)
}

// connectStray answers a visitor who opens the address of a form again, which has no page of
// its own.
func (s *Site) connectStray(w http.ResponseWriter, r *http.Request) {
	s.failConnect(w, r, ask{}, errForm)
}

// connectLogIn handles the form with the password.
func (s *Site) connectLogIn(w http.ResponseWriter, r *http.Request) {
	s.takeStep(w, r, func(a ask, sess connectSession) {
		v, err := s.Connections.LogIn(r, r.PostForm.Get("email"), r.PostForm.Get("password"))
		if err != nil {
			s.stepFailed(w, r, a, sess, err)
			return
		}
		s.newSession(w, r, &v)
		s.goOn(w, r, a)
	})
}

// connectCode handles the form with the two-factor code. It does not extend the login.
func (s *Site) connectCode(w http.ResponseWriter, r *http.Request) {
	s.takeStep(w, r, func(a ask, sess connectSession) {
		if sess.Visitor == nil || !sess.Visitor.NeedsCode {
			s.failConnect(w, r, a, errForm)
			return
		}
		v := *sess.Visitor
		if err := s.Connections.GiveCode(r, v, strings.TrimSpace(r.PostForm.Get("code"))); err != nil {
			s.stepFailed(w, r, a, sess, err)
			return
		}
		v.NeedsCode = false
		s.setSession(w, r, connectSession{secret.NewID(""), sess.Ends, &v})
		s.goOn(w, r, a)
	})
}

// connectAnswer handles the merchant's answer.
func (s *Site) connectAnswer(w http.ResponseWriter, r *http.Request) {
	s.takeStep(w, r, func(a ask, sess connectSession) {
		switch {
		case sess.Visitor == nil || sess.Visitor.NeedsCode:
			s.failConnect(w, r, a, ErrLoggedOut)
		case r.PostForm.Get("answer") == "deny":
			s.deny(w, r, a, sess.login())
		case r.PostForm.Get("answer") == "allow":
			s.grant(w, r, a, sess.login())
		default:
			s.failConnect(w, r, a, errForm)
		}
	})
}

// grant creates the key, and sends it to the application or shows it.
func (s *Site) grant(w http.ResponseWriter, r *http.Request, a ask, l Login) {
	granted := permission.Of(a.Permissions...)
	key, err := s.Connections.Grant(r.Context(), l, Grant{
		ID: a.Grant, Permissions: granted, Application: a.Application, Identifier: a.Identifier, Host: a.host(),
	})
	if err != nil {
		s.failConnect(w, r, a, err)
		return
	}
	p := s.connectPage(r)
	p.Languages, p.Tone = "", "good"
	if a.Redirect == "" {
		p.Title, p.Detail, p.Key = p.T.Text("connect_key.title"), p.T.Text("connect_key.detail"), key
		s.kit.Render(w, r, http.StatusOK, "connect_done.html", &p)
		return
	}
	p.Title, p.Detail = p.T.Text("connect_finish.title"), p.T.Text("connect_finish.detail", a.host())
	p.Finish = &finish{a.Redirect, a.host(), key, l.MerchantID, granted.In(l.MerchantID)}
	p.FormOrigin = a.origin()
	s.kit.Render(w, r, http.StatusOK, "connect_done.html", &p)
}

// deny records that the application gets no key.
func (s *Site) deny(w http.ResponseWriter, r *http.Request, a ask, l Login) {
	if err := s.Connections.Deny(r.Context(), l, a.Grant); err != nil {
		s.failConnect(w, r, a, err)
		return
	}
	p := s.connectPage(r)
	p.Languages, p.Tone = "", "ended"
	p.Title, p.Detail = p.T.Text("connect_denied.title"), p.T.Text("connect_denied.detail", a.Application)
	p.Restart, p.Back, p.BackHost = a.link(p.Chosen), a.origin(), a.host()
	s.kit.Render(w, r, http.StatusOK, "connect_done.html", &p)
}

// goOn redirects from a form to the next step.
func (s *Site) goOn(w http.ResponseWriter, r *http.Request, a ask) {
	f := s.frame(r)
	seeOther(w, r, a.link(f.Chosen))
}

// stop is a reason why connecting stops: the status of the answer and the id of its text.
type stop struct {
	err    error
	status int
	text   string
}

// stopOf returns why an error stops connecting; nil if the visitor must not know.
func stopOf(err error) *stop {
	for _, s := range []stop{
		{ErrWrongLogin, http.StatusUnauthorized, "connect.wrong"}, {ErrLocked, http.StatusLocked, "connect.locked"},
		{ErrBlocked, http.StatusForbidden, "connect.blocked"}, {ErrSuspended, http.StatusForbidden, "connect.suspended"},
		{ErrUnverified, http.StatusForbidden, "connect.unverified"}, {ErrTooManyKeys, http.StatusForbidden, "connect.many_keys"},
		{errAskRedirect, http.StatusBadRequest, "connect.bad_redirect"}, {errAskPermissions, http.StatusBadRequest, "connect.bad_permissions"},
		{errAskName, http.StatusBadRequest, "connect.bad_name"},
	} {
		if errors.Is(err, s.err) {
			return &s
		}
	}
	return nil
}

// stepFailed shows the form again if the visitor can correct the error; otherwise it ends with
// failConnect.
func (s *Site) stepFailed(w http.ResponseWriter, r *http.Request, a ask, sess connectSession, err error) {
	if known := stopOf(err); known != nil {
		s.ask(w, r, known.status, a, sess, err)
		return
	}
	s.failConnect(w, r, a, err)
}

// failConnect answers an error after which the visitor must start again.
func (s *Site) failConnect(w http.ResponseWriter, r *http.Request, a ask, err error) {
	p := s.connectPage(r)
	p.Languages, p.Tone, p.Restart = "", "ended", a.link(p.Chosen)
	status, title, detail := http.StatusGone, "connect_expired.title", "connect_expired.detail"
	switch known := stopOf(err); {
	case errors.Is(err, ErrLoggedOut):
		s.dropSession(w, r)
	case errors.Is(err, errForm):
	case known != nil:
		if !errors.Is(err, ErrTooManyKeys) {
			s.dropSession(w, r)
		}
		status, title, detail = known.status, "refused.title", known.text
	case errors.Is(err, account.ErrBusy):
		w.Header().Set("Retry-After", busyPause)
		status, title, detail = http.StatusTooManyRequests, "too_many.title", "too_many.detail"
	default:
		s.Log.ErrorContext(r.Context(), "page of connecting failed", slog.Any("error", err))
		status, title, detail = http.StatusInternalServerError, "error.title", "error.detail"
	}
	p.Title, p.Detail = p.T.Text(title), p.T.Text(detail)
	s.kit.Render(w, r, status, "connect_done.html", &p)
}

// refuseAsk answers an application that asks for something it cannot have. The page has no
// link to an address of the application, because the merchant has not agreed to it.
func (s *Site) refuseAsk(w http.ResponseWriter, r *http.Request, err error) {
	p := s.connectPage(r)
	p.Tone, p.Title, p.Detail = "ended", p.T.Text("connect_bad.title"), p.T.Text("connect_bad.detail")
	p.Problem = p.problemText(err)
	s.kit.Render(w, r, http.StatusBadRequest, "connect_done.html", &p)
}

// problemText returns the text for an error; empty for nil.
func (p *connectPage) problemText(err error) string {
	if known := stopOf(err); known != nil {
		return p.T.Text(known.text)
	}
	return ""
}

func (s *Site) connectPage(r *http.Request) connectPage {
	p := connectPage{Frame: s.frame(r)}
	p.Header = p.T.Text("header.account")
	return p
}

// connectTime is the lifetime of a login, and of a page of connecting.
const connectTime = 10 * time.Minute

// plain reports whether the operator runs the service without TLS. Then keys may be sent over
// plain HTTP, because keys of this service already are.
func (s *Site) plain() bool {
	u, err := url.Parse(s.PublicURL)
	return err == nil && u.Scheme == "http" && !isOnion(u.Hostname())
}
