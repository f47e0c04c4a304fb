package merchant

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// decimalSchema describes exact numbers. Generated Go clients keep the digits.
type decimalSchema struct{}

// Schema implements huma.SchemaProvider.
func (decimalSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Extensions: map[string]any{"x-go-type": "json.Number"}}
}

type timestampSchema struct{}

// Schema implements huma.SchemaProvider.
func (timestampSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// objectSchema describes any JSON object.
type objectSchema struct{}

// Schema implements huma.SchemaProvider.
func (objectSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

func newRegistry() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", schemaName)
	r.RegisterTypeAlias(reflect.TypeFor[money.Decimal](), reflect.TypeFor[decimalSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[money.Piconero](), reflect.TypeFor[decimalSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[wire.Time](), reflect.TypeFor[timestampSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[json.RawMessage](), reflect.TypeFor[objectSchema]())
	return r
}

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
		"TermsSchema": "NewTerms", "SwapView": "Swap", "OK": "OkAnswer",
	}
	if better, ok := known[name]; ok {
		return better
	}
	return name
}

// finishSchemas corrects the schemas where Huma lacks information: pointers may be null, lists
// never are, and unknown names in bodies are ignored.
func finishSchemas(r huma.Registry) {
	for name, s := range r.Map() {
		s.AdditionalProperties = nil
		t := r.TypeFromRef("#/components/schemas/" + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			jsonName, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			property := s.Properties[jsonName]
			if property == nil {
				continue
			}
			switch {
			case property.Type == huma.TypeArray:
				property.Nullable = false
			case f.Type.Kind() == reflect.Pointer && property.Ref == "" && !strings.Contains(f.Tag.Get("json"), "omitempty"):
				property.Nullable = f.Tag.Get("required") == "" || f.Tag.Get("nullable") == "true"
			}
		}
	}
}
