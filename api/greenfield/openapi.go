package greenfield

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/greenfield/route"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/web"
)

// documentURL is the server in the documents that are kept in the repository.
const documentURL = "http://127.0.0.1:8080"

// API describes the routes without a running service: its document is complete,
// its handlers must not be called.
func API(publicURL string) huma.API {
	api := humachi.New(chi.NewRouter(), newConfig(publicURL))
	register(api, Deps{}, route.API{Guard: auth.New(auth.Settings{}), Limits: &limits.Limits{}})
	return api
}

// WriteOpenAPI writes greenfield.yaml (OpenAPI 3.1) and greenfield-3.0.yaml, its
// twin in 3.0.3 for generators that know no newer one, into dir, which it makes
// if it is missing.
func WriteOpenAPI(dir string) error {
	return web.WriteDocuments(dir, "greenfield", API(documentURL).OpenAPI())
}
