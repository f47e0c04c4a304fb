package greenfield

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/web"
)

// documentURL is the server in the documents of the repository.
const documentURL = "http://127.0.0.1:8080"

// API describes the routes without a running service. Its document is complete, but its
// handlers must not be called.
func API(publicURL string) huma.API {
	api := humachi.New(chi.NewRouter(), newConfig(publicURL))
	register(api, Deps{}, dialect.API{Guard: access.NewGuard(access.GuardSettings{}), Limits: &access.Limits{}})
	return api
}

// WriteOpenAPI writes greenfield.yaml (OpenAPI 3.1) and greenfield-3.0.yaml, the same document
// in 3.0.3 for generators that do not support 3.1, into dir. It creates dir if it is missing.
func WriteOpenAPI(dir string) error {
	return web.WriteDocuments(dir, "greenfield", API(documentURL).OpenAPI())
}
