package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

// NoIcon answers the request for an icon, which browsers make on their own, with an empty
// success. Otherwise the browser's console would show an error.
func NoIcon(router chi.Router) {
	router.Get("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=86400")
		w.WriteHeader(http.StatusNoContent)
	})
}
