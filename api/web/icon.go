package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

// NoIcon answers what browsers ask for by themselves with nothing, so that no
// console shows an error.
func NoIcon(router chi.Router) {
	router.Get("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=86400")
		w.WriteHeader(http.StatusNoContent)
	})
}
