package secret

import (
	"net/http"
	"net/url"
	"strings"

	"go.temporal.io/sdk/converter"
)

// maxCodecBody bounds a request of the codec endpoint, in bytes. The web UI
// sends a page of history in one request.
const maxCodecBody = 16 << 20

// CodecAccess determines who may decrypt payloads.
type CodecAccess struct {
	// UIOrigin is a URL of Temporal's web UI; its path is ignored. Browsers may call
	// the endpoint only from that origin.
	UIOrigin string
	// Token is the credential of a caller. It is sent as a bearer token, or once to
	// the login page, which then sets a cookie in the browser. If Token is empty,
	// all calls are refused.
	Token string
}

// CodecHandler serves POST …/decode and POST …/encode, with which Temporal's web
// UI and command line show payloads to operators. It also serves …/login, where
// a browser gets the cookie that it sends with the UI's requests. It returns 401
// without token or cookie, and 403 for a page of another origin.
func CodecHandler(codec *PayloadCodec, access CodecAccess) http.Handler {
	origin := originOf(access.UIOrigin)
	next := converter.NewPayloadCodecHTTPHandler(codec.ForDisplay())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if strings.HasSuffix(r.URL.Path, codecLogin) {
			access.login(w, r)
			return
		}
		if from := r.Header.Get("Origin"); from != "" && from != origin {
			http.Error(w, "origin is not allowed", http.StatusForbidden)
			return
		}
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Allow-Credentials", "true")
		header.Add("Vary", "Origin")
		if r.Method == http.MethodOptions {
			header.Set("Access-Control-Allow-Methods", "POST, OPTIONS")
			header.Set("Access-Control-Allow-Headers", "Content-Type, X-Namespace, Authorization")
			header.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if !access.allows(r) {
			header.Set("WWW-Authenticate", "Bearer")
			http.Error(w, "log in at "+codecLogin+", or send the token as bearer", http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxCodecBody)
		next.ServeHTTP(w, r)
	})
}

func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	return u.Scheme + "://" + u.Host
}
