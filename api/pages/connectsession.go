package pages

import (
	"errors"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/secret"
)

// connectCookie returns the name of the session's cookie. The cookie is valid only for
// connecting.
func (s *Site) connectCookie(r *http.Request) string {
	return web.HostCookie(r, s.PublicURL, "durapay_connect")
}

// errForm reports a form that this service did not issue, that belongs to another visitor, or
// that has expired.
var errForm = errors.New("form that does not count")

// connectSession is the session of a visitor who connects an application. The cookie holds it,
// signed. The database stores only that a login was answered.
type connectSession struct {
	// ID changes after each step of a login.
	ID string `json:"i"`
	// Ends is in Unix seconds.
	Ends int64 `json:"e"`
	// Visitor is nil until the password was given.
	Visitor *Visitor `json:"u,omitempty"`
}

// sealedAsk is the request that a form passes on, with its session and its expiry. It is
// signed, so a client cannot change it.
type sealedAsk struct {
	Ask     ask    `json:"a"`
	Session string `json:"s"`
	Ends    int64  `json:"e"`
}

// newSession begins a session that replaces the previous one.
func (s *Site) newSession(w http.ResponseWriter, r *http.Request, v *Visitor) connectSession {
	sess := connectSession{secret.NewID(""), s.Now().Add(connectTime).Unix(), v}
	s.setSession(w, r, sess)
	return sess
}

// setSession stores a session in the cookie until the session ends.
func (s *Site) setSession(w http.ResponseWriter, r *http.Request, sess connectSession) {
	s.setCookie(w, r, secret.Sign(s.ConnectKey, "session", sess), int(sess.Ends-s.Now().Unix()))
}

// login returns the login of a visitor who has passed all steps.
func (s connectSession) login() Login {
	return Login{*s.Visitor, s.ID, time.Unix(s.Ends, 0)}
}

func (s *Site) setCookie(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, web.Cookie(s.connectCookie(r), value, "/", seconds, web.HasTLS(r, s.PublicURL)))
}

// dropSession ends the session in this browser.
func (s *Site) dropSession(w http.ResponseWriter, r *http.Request) { s.setCookie(w, r, "", -1) }

// readSession returns the session of a request. It returns false if there is none or it has
// ended.
func (s *Site) readSession(r *http.Request) (connectSession, bool) {
	var sess connectSession
	cookie, err := r.Cookie(s.connectCookie(r))
	if err != nil || !secret.Unsign(s.ConnectKey, "session", cookie.Value, &sess) || s.Now().Unix() >= sess.Ends {
		return connectSession{}, false
	}
	return sess, true
}

// seal returns the signed request for the form of a page. Each page that asks has a grant id
// of its own.
func (s *Site) seal(a ask, sess connectSession) string {
	a.Grant = secret.NewID("")
	return secret.Sign(s.ConnectKey, "ask", sealedAsk{a, sess.ID, s.Now().Add(connectTime).Unix()})
}

// takeStep reads a form and calls do with its request. The form must be from this session and
// not have expired.
func (s *Site) takeStep(w http.ResponseWriter, r *http.Request, do func(a ask, sess connectSession)) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	var sealed sealedAsk
	if err := r.ParseForm(); err != nil || !secret.Unsign(s.ConnectKey, "ask", r.PostForm.Get("request"), &sealed) {
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
