package receiver

import "net/http"

// Status answers with a status and no body.
func Status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// Hang answers nothing until the sender gives up.
func Hang(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }
