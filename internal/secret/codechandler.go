package secret

import (
	"net/http"
	"net/url"

	"go.temporal.io/sdk/converter"
)

// maxCodecBody bounds a request of the codec endpoint, in bytes: a page of
// history as the web UI sends it.
const maxCodecBody = 16 << 20

// CodecHandler serves POST …/decode and POST …/encode, with which the workflow
// engine's web UI shows payloads to operators. Browsers may call it from
// uiOrigin alone (a URL of the UI; its path is ignored), and a request from
// any other page is refused. It decrypts for everyone who can reach it: mount
// it on a listener that is not public.
func CodecHandler(codec converter.PayloadCodec, uiOrigin string) http.Handler {
	origin := originOf(uiOrigin)
	next := converter.NewPayloadCodecHTTPHandler(codec)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from := r.Header.Get("Origin"); from != "" && from != origin {
			http.Error(w, "origin is not allowed", http.StatusForbidden)
			return
		}
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Cache-Control", "no-store")
		header.Add("Vary", "Origin")
		if r.Method == http.MethodOptions {
			header.Set("Access-Control-Allow-Methods", "POST, OPTIONS")
			header.Set("Access-Control-Allow-Headers", "Content-Type, X-Namespace, Authorization")
			header.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
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
