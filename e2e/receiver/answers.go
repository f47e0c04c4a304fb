package receiver

import (
	"net/http"
	"sync/atomic"
)

// Status answers with a status and no body.
func Status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// Redirect answers 302 to another address.
func Redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, to, http.StatusFound) }
}

// Hang answers nothing until the sender gives up.
func Hang(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }

// InTurn gives each request the next answer; the last one stays.
func InTurn(answers ...http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, req *http.Request) {
		turn := min(int(n.Add(1)), len(answers)) - 1
		answers[turn](w, req)
	}
}
