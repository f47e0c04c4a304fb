package merchant

import (
	_ "embed"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/web"
)

// operations has the texts and the examples of all operations.
//
//go:embed operations.json
var operations []byte

// schemaName returns the name of a schema. Types that clients know by another name get that
// name.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if strings.HasSuffix(t.PkgPath(), "/internal/operator") {
		return "Operator" + name
	}
	known := map[string]string{
		"Refunded": "Refund", "ClaimState": "RefundClaim", "View": "Charge", "PublicView": "PublicCharge", "PaymentView": "Payment", "WebhookView": "Webhook",
		"PayoutView": "Payout", "XmrPrice": "Price", "Summary": "ReportSummary", "ReportingSet": "ReportingSettings",
		"RequestView": "PaymentRequest", "PublicRequest": "PublicPaymentRequest", "Problem": "Error", "Me": "Account",
		"TermsSchema": "NewTerms", "Tier": "OperatorTier", "SwapView": "Swap", "OK": "OkAnswer",
	}
	if better, ok := known[name]; ok {
		return better
	}
	return name
}

// documentURL is the server in the documents that are stored in the repository.
const documentURL = "http://127.0.0.1:8080"

// WriteOpenAPI writes merchant.yaml (OpenAPI 3.1) and merchant-3.0.yaml into dir, and creates
// dir if it is missing. The second is the same document in 3.0.3, for generators that do not
// support 3.1.
func WriteOpenAPI(dir string) error {
	doc := API(Deps{PublicURL: documentURL}).OpenAPI()
	return web.WriteDocuments(dir, "merchant", doc, eventSchemas()...)
}

// eventSchemas names the schemas that only webhooks use.
func eventSchemas() []string {
	return []string{"ChargeEvent", "PayoutEvent", "PayoutSent", "PingEvent", "Pinged", "RefundEvent", "RefundData"}
}
