package temporalui

import (
	"net/http"

	"go.temporal.io/sdk/converter"

	"github.com/durapay/durapay/internal/secret"
)

// maxCodecBody bounds a request to the codec in bytes: a page of history as the web UI
// sends it.
const maxCodecBody = 16 << 20

// decoder serves Temporal's remote codec protocol.
func decoder(codec *secret.PayloadCodec) http.Handler {
	next := converter.NewPayloadCodecHTTPHandler(codec.ForDisplay())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxCodecBody)
		next.ServeHTTP(w, r)
	})
}
