package access

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/secret"
)

const (
	// visitCookie is the name of the cookie that holds a visitor's session on the onion mirror's
	// pages.
	visitCookie = "durapay_visit"
	// visitTime is how long a session is valid. It limits how many sessions a client can collect.
	visitTime = 24 * time.Hour
	// newcomers is the name of all visitors of the onion mirror that show no session, where Tor
	// does not reveal its circuits. They share one count, so deleting the cookie gains a visitor
	// nothing.
	newcomers = "onion"
)

// visits issues and checks the sessions of the onion mirror's pages, where clients have no
// address. A session is a signed name. Sessions are not stored, and a client cannot forge one.
type visits struct {
	key   []byte
	clock func() time.Time
	// host is the onion mirror's host; empty if there is no mirror.
	host string
}

func newVisits(s LimitSettings) visits {
	v := visits{key: secret.Code(s.Key, "visits"), clock: s.Clock}
	if u, err := url.Parse(s.OnionURL); err == nil {
		v.host = u.Host
	}
	return v
}

// visitor is the client of a page. crowd is the group in which it is also counted; empty for
// none.
type visitor struct{ name, crowd string }

// visitor names the client of a page: by address, on the onion mirror by session, and a newcomer
// there by circuit. A newcomer gets a session for its next request. On the mirror a visitor is
// also counted in a crowd: all newcomers with a circuit are one crowd, and so are all sessions
// of one circuit, or of one process that does not reveal circuits. So many circuits or many
// sessions gain a client little. A client nearby that only names the mirror's host gains little
// either.
func (l *Limits) visitor(w http.ResponseWriter, r *http.Request) visitor {
	circuit, revealed := web.Circuit(r)
	if !revealed && !l.ThroughOnion(r) {
		return visitor{name: web.ClientIP(r, l.trusted)}
	}
	if cookie, err := r.Cookie(visitCookie); err == nil {
		if session, ok := l.visits.read(cookie.Value); ok {
			if !revealed {
				circuit = "through " + web.ClientIP(r, l.trusted)
			}
			return visitor{newcomers + ":" + session, circuit}
		}
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // an onion service has no TLS to ask for
		Name: visitCookie, Value: l.visits.issue(), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	if revealed {
		return visitor{circuit, web.Together}
	}
	return visitor{name: newcomers}
}

// ShareOf returns the codes under which charges without a key are counted: the code of the
// client's address or circuit, and the code of all clients that come through Tor. client is nil
// for a Tor that does not reveal circuits, and crowd is nil for a client that does not come
// through Tor. Both are nil if nothing is limited.
func (l *Limits) ShareOf(r *http.Request) (client, crowd []byte) {
	if l.clients == nil {
		return nil, nil
	}
	_, revealed := web.Circuit(r)
	through := revealed || l.ThroughOnion(r)
	if through {
		crowd = l.index.Client(web.Together)
	}
	if revealed || !through {
		client = l.index.Client("ip " + web.ClientIP(r, l.trusted))
	}
	return client, crowd
}

// ThroughOnion reports whether a request reached the public listener through a Tor that does not
// reveal circuits. Such a request asks for the onion mirror's host. It comes directly from a
// nearby process, as Tor is one, that names no other client in X-Forwarded-For. A client from
// outside that only names the host is counted by address.
func (l *Limits) ThroughOnion(r *http.Request) bool {
	if l.visits.host == "" || !strings.EqualFold(r.Host, l.visits.host) {
		return false
	}
	peer, known := web.ParseIP(r.RemoteAddr)
	client, _ := web.ClientAddr(r, l.trusted)
	return known && client == peer && (peer.IsLoopback() || peer.IsPrivate())
}

// issue returns a new session: its creation time, a random name, and a signature.
func (v visits) issue() string {
	session := strconv.FormatInt(v.clock().Unix(), 10) + "." + secret.NewID("")
	return session + "." + v.signature(session)
}

// read checks a session and returns its name. ok is false if the session is forged or older than
// visitTime.
func (v visits) read(cookie string) (session string, ok bool) {
	end := strings.LastIndexByte(cookie, '.')
	if end < 0 || !secret.Equal([]byte(cookie[end+1:]), []byte(v.signature(cookie[:end]))) {
		return "", false
	}
	made, _, _ := strings.Cut(cookie, ".")
	seconds, err := strconv.ParseInt(made, 10, 64)
	return cookie[:end], err == nil && v.clock().Sub(time.Unix(seconds, 0)) < visitTime
}

func (v visits) signature(session string) string {
	return base64.RawURLEncoding.EncodeToString(secret.Code(v.key, session))
}
