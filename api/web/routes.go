package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
)

// ServeDocuments serves the document of the running service at /openapi.json and /openapi.yaml,
// and in OpenAPI 3.0.3 at /openapi-3.0.yaml. Each is written on its first request, which takes a
// tenth of a second. eventSchemas are the schemas that only webhooks use.
func ServeDocuments(router chi.Router, api huma.API, eventSchemas ...string) {
	doc := api.OpenAPI()
	router.Get("/openapi.json", document("application/openapi+json", func() ([]byte, error) { return json.Marshal(doc) }))
	router.Get("/openapi.yaml", document("application/openapi+yaml", doc.YAML))
	router.Get("/openapi-3.0.yaml", document("application/openapi+yaml", func() ([]byte, error) { return older(doc, eventSchemas) }))
}

// older writes a document in OpenAPI 3.0.3, for generators that do not support 3.1. OpenAPI 3.0
// has no webhooks, so the document leaves them out with the schemas that only they use.
func older(doc *huma.OpenAPI, eventSchemas []string) ([]byte, error) {
	copied, components := *doc, *doc.Components
	schemas := maps.Clone(components.Schemas.Map())
	maps.DeleteFunc(schemas, func(name string, _ *huma.Schema) bool { return slices.Contains(eventSchemas, name) })
	components.Schemas = fewerSchemas{components.Schemas, schemas}
	copied.Webhooks, copied.Components = nil, &components
	return copied.DowngradeYAML()
}

// fewerSchemas is a registry of which a document shows only some schemas.
type fewerSchemas struct {
	huma.Registry

	shown map[string]*huma.Schema
}

// Map returns the schemas that are shown.
func (f fewerSchemas) Map() map[string]*huma.Schema { return f.shown }

// MarshalJSON writes the schemas that are shown.
func (f fewerSchemas) MarshalJSON() ([]byte, error) { return json.Marshal(f.shown) }

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

// WriteDocuments writes name.yaml (OpenAPI 3.1) and name-3.0.yaml (3.0.3) into dir, and creates
// dir if it is missing. eventSchemas are the schemas that only webhooks use.
func WriteDocuments(dir, name string, doc *huma.OpenAPI, eventSchemas ...string) error {
	current, err := doc.YAML()
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	before31, err := older(doc, eventSchemas)
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as its documents
		return fmt.Errorf("openapi: %w", err)
	}
	for file, text := range map[string][]byte{name + ".yaml": current, name + "-3.0.yaml": before31} {
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
