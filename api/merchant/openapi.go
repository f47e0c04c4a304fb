package merchant

import "github.com/durapay/durapay/api/web"

// documentURL is the server in the documents that are kept in the repository.
const documentURL = "http://127.0.0.1:8080"

// WriteOpenAPI writes merchant.yaml (OpenAPI 3.1) and merchant-3.0.yaml, its
// twin in 3.0.3 for generators that know no newer one, into dir, which it makes
// if it is missing.
func WriteOpenAPI(dir string) error {
	doc := API(Deps{PublicURL: documentURL}).OpenAPI()
	return web.WriteDocuments(dir, "merchant", doc, "ChargeEvent", "PayoutEvent", "PayoutSent", "PingEvent", "Pinged", "RefundEvent", "RefundData")
}
