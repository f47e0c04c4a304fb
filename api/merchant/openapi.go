package merchant

import "github.com/durapay/durapay/api/web"

// documentURL is the server in the documents that are stored in the repository.
const documentURL = "http://127.0.0.1:8080"

// WriteOpenAPI writes merchant.yaml (OpenAPI 3.1) and merchant-3.0.yaml into dir, and creates
// dir if it is missing. The second is the same document in 3.0.3, for generators that do not
// support 3.1.
func WriteOpenAPI(dir string) error {
	doc := API(Deps{PublicURL: documentURL}).OpenAPI()
	return web.WriteDocuments(dir, "merchant", doc, "ChargeEvent", "PayoutEvent", "PayoutSent", "PingEvent", "Pinged", "RefundEvent", "RefundData")
}
