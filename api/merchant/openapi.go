package merchant

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
)

// documentURL is the server in the documents that are kept in the repository.
const documentURL = "http://127.0.0.1:8080"

// WriteOpenAPI writes merchant.yaml (OpenAPI 3.1) and merchant-3.0.yaml, its
// twin in 3.0.3 for generators that know no newer one, into dir, which it makes
// if it is missing.
func WriteOpenAPI(dir string) error {
	doc := API(Deps{PublicURL: documentURL}).OpenAPI()
	current, err := doc.YAML()
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	// 3.0 knows no webhooks, and with them their schemas have no use.
	doc.Webhooks = nil
	for _, name := range []string{"ChargeEvent", "PayoutEvent", "PayoutSent", "PingEvent", "Pinged"} {
		delete(doc.Components.Schemas.Map(), name)
	}
	older, err := doc.DowngradeYAML()
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as its documents
		return fmt.Errorf("openapi: %w", err)
	}
	for name, text := range map[string][]byte{"merchant.yaml": current, "merchant-3.0.yaml": older} {
		//nolint:gosec // a document that everybody may read
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return fmt.Errorf("openapi: %w", err)
		}
	}
	return nil
}

// serveDocuments answers the document of the running service.
func serveDocuments(router chi.Router, api huma.API) error {
	asJSON, err := json.Marshal(api.OpenAPI())
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	asYAML, err := api.OpenAPI().YAML()
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	router.Get("/openapi.json", document("application/openapi+json", asJSON))
	router.Get("/openapi.yaml", document("application/openapi+yaml", asYAML))
	return nil
}

func document(contentType string, text []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(text) // the client is gone if this fails
	}
}
