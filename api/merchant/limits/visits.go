package limits

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
	// visitCookie names the session of a visitor of the onion mirror's pages.
	visitCookie = "durapay_visit"
	// visitTime is how long a session is good for. It bounds how many a client
	// can save up.
	visitTime = 24 * time.Hour
	// newcomers are all visitors of the onion mirror that show no session, where
	// Tor does not tell its circuits: they share one count, so throwing the cookie
	// away wins nothing.
	newcomers = "onion"
)

// visits are the sessions of the onion mirror's pages, where no client has an
// address. A session is a signed name; nothing is
// stored, and none can be made up.
type visits struct {
	key   []byte
	clock func() time.Time
	// host is the onion mirror's; empty when there is none.
	host string
}

func newVisits(s Settings) visits {
	v := visits{key: secret.Code(s.Key, "visits"), clock: s.Clock}
	if u, err := url.Parse(s.OnionURL); err == nil {
		v.host = u.Host
	}
	return v
}

// visitor is the client of a page, and whom it is counted with besides.
type visitor struct{ name, crowd string }

// visitor names the client of a page: by address, or on the onion mirror by
// session, for a newcomer by circuit. A newcomer gets a session for its next
// request. crowd is what the visitor is counted with besides, or empty: all
// newcomers are together, and so are the sessions of one circuit, or of one
// process that tells none. Neither many circuits nor many sessions win much, nor
// does it to name the mirror's host from nearby.
func (l *Limits) visitor(w http.ResponseWriter, r *http.Request) visitor {
	circuit, told := web.Circuit(r)
	if !told && !l.ThroughOnion(r) {
		return visitor{name: web.ClientIP(r, l.trusted)}
	}
	if cookie, err := r.Cookie(visitCookie); err == nil {
		if session, ok := l.visits.read(cookie.Value); ok {
			if !told {
				circuit = "through " + web.ClientIP(r, l.trusted)
			}
			return visitor{newcomers + ":" + session, circuit}
		}
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // an onion service has no TLS to ask for
		Name: visitCookie, Value: l.visits.issue(), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	if told {
		return visitor{circuit, web.Together}
	}
	return visitor{name: newcomers}
}

// ShareOf are the codes by which charges count that are made without a key:
// that of the client's address or circuit, and that of all who come through
// Tor. Both are nil where nothing is limited.
func (l *Limits) ShareOf(r *http.Request) (client, crowd []byte) {
	if l.clients == nil {
		return nil, nil
	}
	_, told := web.Circuit(r)
	through := told || l.ThroughOnion(r)
	if through {
		crowd = l.index.Client(web.Together)
	}
	if told || !through {
		client = l.index.Client("ip " + web.ClientIP(r, l.trusted))
	}
	return client, crowd
}

// ThroughOnion tells whether a request came from a Tor that tells no circuits,
// to the listener of everybody: it asks for the onion mirror's host, and comes
// from a process nearby, as Tor is, that forwards for nobody. A client from outside that only names the host is counted by address.
func (l *Limits) ThroughOnion(r *http.Request) bool {
	if l.visits.host == "" || !strings.EqualFold(r.Host, l.visits.host) {
		return false
	}
	peer, known := web.ParseIP(r.RemoteAddr)
	client, _ := web.ClientAddr(r, l.trusted)
	return known && client == peer && (peer.IsLoopback() || peer.IsPrivate())
}

// issue makes a session: when it was made, a random name, and a signature.
func (v visits) issue() string {
	session := strconv.FormatInt(v.clock().Unix(), 10) + "." + secret.NewID("")
	return session + "." + v.signature(session)
}

// read checks a session and returns its name.
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
