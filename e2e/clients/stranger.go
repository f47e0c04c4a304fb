package clients

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Stranger is a client with a credential of its own, or with none.
type Stranger struct {
	// Name says who it is.
	Name string
	// Headers are sent with each request: the credential.
	Headers map[string]string
	// Jar has the cookies of a browser, or is nil.
	Jar http.CookieJar
	// Account is the merchant ID of the stranger's own account, or "".
	Account string
}

// visitor is a stranger at work, with what it has seen.
type visitor struct {
	Stranger
	*generator

	pages *pages
	from  map[int]*http.Client
}

const addresses = 300

// requestTimeout bounds a request: nothing is concluded from how long it takes.
const requestTimeout = 5 * time.Minute

// ClientAt returns a client whose requests come from an address of the loopback network.
func ClientAt(n int, jar http.CookieJar) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 8, byte(n>>8), byte(n&0xff))}}
	return &http.Client{
		Jar: jar, Timeout: requestTimeout,
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// client returns a client at one of the addresses.
func (v *visitor) client() *http.Client {
	n := 1 + v.IntN(addresses)
	if v.from[n] == nil {
		v.from[n] = ClientAt(n, v.Jar)
	}
	return v.from[n]
}

type generator struct {
	dice

	// known are the IDs of the shop, and seen those of the stranger's own answers.
	known, seen []string
}

var anID = regexp.MustCompile(`\b[a-z]{2,4}_[0-9a-f]{16,}\b`)

func (g *generator) notice(body string) {
	for _, id := range anID.FindAllString(body, 20) {
		if len(g.seen) < 200 {
			g.seen = append(g.seen, id)
		} else {
			g.seen[g.IntN(len(g.seen))] = id
		}
	}
}

// id returns an ID of the shop, one that the stranger has seen, or one that does not exist.
func (g *generator) id() string {
	switch {
	case g.in(8):
		return pick(g.dice, []string{"ch_000000000000000000000000", "1", "0", "-1", "ch_", "00000000-0000-0000-0000-000000000000", "live_", "pr_x"})
	case len(g.seen) > 0 && g.in(2):
		return pick(g.dice, g.seen)
	default:
		return pick(g.dice, g.known)
	}
}

var placeholder = regexp.MustCompile(`\{[^}]+\}`)

func (g *generator) request(ctx context.Context, o operation) (*http.Request, string, error) {
	path := placeholder.ReplaceAllStringFunc(o.path, func(string) string {
		if g.in(8) {
			return url.PathEscape(g.text())
		}
		return url.PathEscape(g.id())
	})
	query := url.Values{}
	for _, p := range o.query {
		if g.in(3) {
			text := g.text()
			if listed, _ := p.schema["enum"].([]any); len(listed) > 0 && g.in(2) {
				text, _ = pick(g.dice, listed).(string)
			} else if example, has := p.schema["example"]; has && g.in(2) {
				text = strings.Trim(encoded(example), `"`)
			}
			query.Add(p.name, text)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	} else if g.in(30) {
		path += "?" + pick(g.dice, []string{"%zz", "a=1&a=2", "limit=99999999999999999999", "&&&=", ";", "offset=-1", "%00=%00"})
	}
	body, contentType := "", ""
	if len(o.types) > 0 {
		body, contentType = g.json(o.doc, o.body, 0), "application/json"
		if g.in(10) {
			body = pick(g.dice, oddBodies())
		}
		if g.in(15) {
			contentType = pick(g.dice, append([]string{"", "text/plain", "application/json; charset=\"", "multipart/form-data", "application/x-www-form-urlencoded"}, o.types...))
		}
	}
	req, err := newRequest(ctx, o.method, o.base+path, contentType, body)
	if err == nil {
		g.oddHeaders(req)
	}
	return req, body, err
}

func (g *generator) oddHeaders(req *http.Request) {
	if !g.in(12) {
		return
	}
	header := pick(g.dice, [][]string{
		{"X-Forwarded-For", "127.0.0.1", "1.2.3.4, 5.6.7.8", "x", "::1"},
		{"Host", "evil.example", "localhost:1", "127.0.0.1", "a_b"},
		{"Origin", "https://evil.example"},
		{"Content-Encoding", "gzip", "br", "x"},
		{"Accept-Language", "ar", "de;q=9", "xx-YY-zz", "*"},
		{"Accept", "text/html", "application/xml", "x", "*/*;q=0"},
		{"Cookie", "durapay_desk=x", "a=b; a=c", "=", "__Host-durapay_desk=0"},
	})
	if value := pick(g.dice, header[1:]); header[0] == "Host" {
		req.Host = value
	} else {
		req.Header.Set(header[0], value)
	}
}
