package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
)

// ServeDocuments serves the document of the running service at /openapi.json and /openapi.yaml.
// Each is written on its first request, which takes a tenth of a second.
func ServeDocuments(router chi.Router, api huma.API) {
	doc := api.OpenAPI()
	router.Get("/openapi.json", document("application/openapi+json", func() ([]byte, error) { return json.Marshal(doc) }))
	router.Get("/openapi.yaml", document("application/openapi+yaml", doc.YAML))
}

func document(contentType string, write func() ([]byte, error)) http.HandlerFunc {
	written := sync.OnceValues(write)
	return func(w http.ResponseWriter, _ *http.Request) {
		text, err := written()
		if err != nil {
			http.Error(w, "the document cannot be written: "+err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(text) // this fails only if the client is gone
	}
}

// WriteDocuments writes name.yaml (OpenAPI 3.1) and name-3.0.yaml into dir, and creates dir if
// it is missing. The second is the same document in 3.0.3, for generators that do not support
// 3.1. OpenAPI 3.0 has no webhooks, so it leaves out eventSchemas, which only webhooks use.
func WriteDocuments(dir, name string, doc *huma.OpenAPI, eventSchemas ...string) error {
	current, err := doc.YAML()
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	doc.Webhooks = nil
	for _, schema := range eventSchemas {
		delete(doc.Components.Schemas.Map(), schema)
	}
	older, err := doc.DowngradeYAML()
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as its documents
		return fmt.Errorf("openapi: %w", err)
	}
	for file, text := range map[string][]byte{name + ".yaml": current, name + "-3.0.yaml": older} {
		//nolint:gosec // a document that everybody may read
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			return fmt.Errorf("openapi: %w", err)
		}
	}
	return nil
}

// NoIcon answers the request for an icon, which browsers make on their own, with an empty
// success. Otherwise the browser's console would show an error.
func NoIcon(router chi.Router) {
	router.Get("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=86400")
		w.WriteHeader(http.StatusNoContent)
	})
}

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
