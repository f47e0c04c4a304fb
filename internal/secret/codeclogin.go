package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"strings"
)

const (
	// codecLogin is the end of the login page's path.
	codecLogin = "/login"
	// codecCookie is the name of the cookie that replaces the token.
	codecCookie = "durapay_codec"
	// maxLoginBody bounds the login form, in bytes.
	maxLoginBody = 4 << 10
	// codecLoginForm has no script and no link.
	codecLoginForm = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Payload codec</title>
<form method="post"><label>Token <input type="password" name="token" autocomplete="current-password" autofocus required></label>
<button>Log in</button></form></html>
`
)

// allows reports whether the request contains the token or its cookie.
func (a CodecAccess) allows(r *http.Request) bool {
	if a.Token == "" {
		return false
	}
	if shown, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); found {
		return a.isToken(shown)
	}
	cookie, err := r.Cookie(codecCookie)
	return err == nil && Equal([]byte(cookie.Value), []byte(a.cookie()))
}

// isToken compares in a time that reveals neither the position of a difference
// nor the length of the token.
func (a CodecAccess) isToken(shown string) bool {
	return a.Token != "" && Equal(HashAPIKey(shown), HashAPIKey(a.Token))
}

// cookie returns the cookie's value. It is derived from the token, so it
// becomes invalid with the token and does not reveal it.
func (a CodecAccess) cookie() string {
	mac := hmac.New(sha256.New, []byte(a.Token))
	_, _ = io.WriteString(mac, "codec cookie") // a hash never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// login shows the form and accepts the token: it returns 303 to the UI with the
// cookie, or 401. The cookie is for this path of this host. Browsers send it
// only from pages of the same site, and the UI is one.
func (a CodecAccess) login(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	switch r.Method {
	case http.MethodGet:
		header.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, codecLoginForm) // an error means that the client has gone away
	case http.MethodPost:
		r.Body = http.MaxBytesReader(w, r.Body, maxLoginBody)
		if !a.isToken(strings.TrimSpace(r.PostFormValue("token"))) {
			http.Error(w, "that is not the token", http.StatusUnauthorized)
			return
		}
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // plain HTTP on the loopback interface: a Secure cookie would not come back
			Name: codecCookie, Value: a.cookie(), Path: path.Dir(r.URL.Path), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
		header.Set("Location", originOf(a.UIOrigin))
		w.WriteHeader(http.StatusSeeOther)
	default:
		header.Set("Allow", "GET, POST")
		http.Error(w, "GET or POST", http.StatusMethodNotAllowed)
	}
}
