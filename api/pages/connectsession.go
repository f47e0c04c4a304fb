package pages

import (
	"errors"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/secret"
)

// connectCookie is the session of the pages of connecting. It opens nothing else.
func (s *Site) connectCookie(r *http.Request) string {
	return web.HostCookie(r, s.PublicURL, "durapay_connect")
}

// errForm says that a form is not one of ours, not this visitor's, or too old.
var errForm = errors.New("form that does not count")

// connectSession is somebody who connects an application. It is in the cookie,
// signed. Only that a login was answered is stored.
type connectSession struct {
	// ID is another one after each step of a login.
	ID string `json:"i"`
	// Ends is in Unix seconds.
	Ends int64 `json:"e"`
	// Visitor is nil before the password.
	Visitor *Visitor `json:"u,omitempty"`
}

// sealedAsk is what a form hands on: what was asked for, of which session, until
// when. Whoever posts it cannot have changed it.
type sealedAsk struct {
	Ask     ask    `json:"a"`
	Session string `json:"s"`
	Ends    int64  `json:"e"`
}

// newSession begins a session that takes the former one's place.
func (s *Site) newSession(w http.ResponseWriter, r *http.Request, v *Visitor) connectSession {
	sess := connectSession{secret.NewID(""), s.Now().Add(connectTime).Unix(), v}
	s.setSession(w, r, sess)
	return sess
}

// setSession puts a session in the place of the former one, until it ends.
func (s *Site) setSession(w http.ResponseWriter, r *http.Request, sess connectSession) {
	s.setCookie(w, r, s.sign("session", sess), int(sess.Ends-s.Now().Unix()))
}

// login is a session whose visitor needs nothing more.
func (s connectSession) login() Login {
	return Login{*s.Visitor, s.ID, time.Unix(s.Ends, 0)}
}

func (s *Site) setCookie(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // an onion service has no TLS to ask for
		Name: s.connectCookie(r), Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: web.HasTLS(r, s.PublicURL),
	})
}

// dropSession ends the session in this browser.
func (s *Site) dropSession(w http.ResponseWriter, r *http.Request) { s.setCookie(w, r, "", -1) }

// readSession is the session of a request, unless it has ended.
func (s *Site) readSession(r *http.Request) (connectSession, bool) {
	var sess connectSession
	cookie, err := r.Cookie(s.connectCookie(r))
	if err != nil || !s.unsign("session", cookie.Value, &sess) || s.Now().Unix() >= sess.Ends {
		return connectSession{}, false
	}
	return sess, true
}

// seal is what the form of a page hands on. A page that asks has a grant of its
// own.
func (s *Site) seal(a ask, sess connectSession) string {
	a.Grant = secret.NewID("")
	return s.sign("ask", sealedAsk{a, sess.ID, s.Now().Add(connectTime).Unix()})
}

// takeStep reads a form and goes on with what it hands on, if the visitor was
// shown it by this session and not too long ago.
func (s *Site) takeStep(w http.ResponseWriter, r *http.Request, do func(a ask, sess connectSession)) {
	if s.Connections == nil {
		s.fail(w, r, ErrNotFound)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	var sealed sealedAsk
	if err := r.ParseForm(); err != nil || !s.unsign("ask", r.PostForm.Get("request"), &sealed) {
		s.failConnect(w, r, ask{}, errForm)
		return
	}
	sess, ok := s.readSession(r)
	if !ok || sess.ID != sealed.Session || s.Now().Unix() >= sealed.Ends {
		s.failConnect(w, r, sealed.Ask, errForm)
		return
	}
	do(sealed.Ask, sess)
}

// sign is a value as text that nobody else can make, for one purpose.
func (s *Site) sign(purpose string, value any) string {
	return secret.Sign(s.ConnectKey, purpose, value)
}

// unsign reads what sign made for the same purpose.
func (s *Site) unsign(purpose, signed string, into any) bool {
	return secret.Unsign(s.ConnectKey, purpose, signed, into)
}
