package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
)

// SetAllow sets the header Allow to the methods of the request's path, for the answer to a
// method that the path does not have. HEAD works for every path that has GET.
func SetAllow(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if r.URL.RawPath != "" {
		path = r.URL.RawPath
	}
	routes := chi.RouteContext(r.Context()).Routes
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if routes.Match(chi.NewRouteContext(), method, path) {
			allowed = append(allowed, method)
		}
	}
	if i := slices.Index(allowed, http.MethodGet); i >= 0 && !slices.Contains(allowed, http.MethodHead) {
		allowed = slices.Insert(allowed, i+1, http.MethodHead)
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
}
