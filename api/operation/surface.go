package operation

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// Surface is the part of an API's document that does not follow from its Go types: the texts,
// the query parameters and the examples of its operations, and its error answers.
type Surface struct {
	Title string `json:"title"`
	// Introduction is the description of the API, line by line.
	Introduction []string    `json:"introduction"`
	Tags         []*huma.Tag `json:"tags"`
	// Security has the schemes by name. Key is the name of the one for API keys.
	Security map[string]*huma.SecurityScheme `json:"security"`
	Key      string                          `json:"key"`
	// BadBody is the status of the answer to a body that is not valid.
	BadBody int `json:"bad_body"`
	// NamesPermissions is set if descriptions name the permission that an operation needs.
	NamesPermissions bool `json:"names_permissions"`
	// ShowsIgnored is set if answers name the fields of the body that had no effect.
	ShowsIgnored bool `json:"shows_ignored"`
	// Headers are those of every answer.
	Headers    map[string]*huma.Param `json:"headers"`
	Errors     map[int]refusal        `json:"errors"`
	Operations map[string]texts       `json:"operations"`
	// Events tell when each event is sent to webhooks. EveryEvent is what is true of all of them.
	Events     map[string]string `json:"events"`
	EveryEvent []string          `json:"every_event"`
}

// refusal documents the error answer of a status. List is set if the body is a list.
type refusal struct {
	Text    string          `json:"text"`
	Schema  string          `json:"schema"`
	List    bool            `json:"list"`
	Example json.RawMessage `json:"example"`
}

// texts documents an operation.
type texts struct {
	Tag     string `json:"tag"`
	Summary string `json:"summary"`
	// Text is the description, cut into lines that are joined by spaces.
	Text []string `json:"text"`
	// Errors are statuses in addition to those that follow from its credential, its body and its
	// rate limit.
	Errors []int         `json:"errors"`
	Query  []*huma.Param `json:"query"`
	// Request and Response are examples of the bodies. ResponseOf is set instead of Response to
	// take the example of another operation.
	Request    json.RawMessage `json:"request"`
	Response   json.RawMessage `json:"response"`
	ResponseOf string          `json:"response_of"`
}

// Read reads a surface from its JSON. It panics if that is not valid, because it is compiled in.
func Read(raw []byte) *Surface {
	var s Surface
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err)
	}
	for id, doc := range s.Operations {
		for _, p := range doc.Query {
			if p.In == "" {
				p.In = "query"
			}
			if p.Schema.Type == huma.TypeNumber {
				p.Schema.Extensions = exactNumber().Extensions
			}
		}
		if doc.ResponseOf != "" {
			doc.Response = s.Operations[doc.ResponseOf].Response
			s.Operations[id] = doc
		}
	}
	return &s
}

// Config returns the configuration of an API that publicURL serves.
func (s *Surface) Config(publicURL string, schemas huma.Registry) huma.Config {
	var transformers []huma.Transformer
	if s.ShowsIgnored {
		transformers = append(transformers, httpapi.ShowIgnored(access.InSandbox))
	}
	return huma.Config{
		Transformers: transformers,
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: s.Title, Version: "1.0.0", Description: strings.Join(s.Introduction, "\n")},
			Servers: []*huma.Server{{URL: publicURL, Description: "This service"}},
			Tags:    s.Tags, Components: &huma.Components{Schemas: schemas, SecuritySchemes: s.Security},
		},
		Formats: map[string]huma.Format{httpapi.JSON: httpapi.Format()}, DefaultFormat: httpapi.JSON,
	}
}

// errorResponse documents the error answer of a status.
func (s *Surface) errorResponse(status int) *huma.Response {
	doc, known := s.Errors[status]
	if !known {
		panic("no text for the status " + http.StatusText(status))
	}
	schema := &huma.Schema{Ref: "#/components/schemas/" + doc.Schema}
	if doc.List {
		schema = &huma.Schema{Type: huma.TypeArray, Items: schema}
	}
	headers := maps.Clone(s.Headers)
	switch status {
	case http.StatusTooManyRequests, http.StatusLocked, http.StatusInternalServerError, http.StatusServiceUnavailable:
		if headers == nil {
			headers = map[string]*huma.Param{}
		}
		headers["Retry-After"] = &huma.Param{Description: "Seconds to wait", Schema: &huma.Schema{Type: huma.TypeInteger}}
	}
	return &huma.Response{
		Description: doc.Text, Headers: headers, Content: map[string]*huma.MediaType{httpapi.JSON: {Schema: schema, Example: doc.Example}},
	}
}

// DocumentItself describes the routes of the document. jsonType is the type of its JSON form.
func (s *Surface) DocumentItself(doc *huma.OpenAPI, jsonType string) {
	add := func(id, path, form, is, version string) {
		doc.AddOperation(&huma.Operation{
			OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{"System"},
			Summary: "This document", Description: "OpenAPI " + version + ".", Security: []map[string][]string{},
			Responses: map[string]*huma.Response{
				"200": {Description: "Success", Content: map[string]*huma.MediaType{"application/openapi+" + form: {Schema: &huma.Schema{Type: is}}}},
				"405": s.errorResponse(http.StatusMethodNotAllowed),
			},
		})
	}
	add("getOpenAPIJSON", "/openapi.json", "json", jsonType, "3.1")
	add("getOpenAPIYAML", "/openapi.yaml", "yaml", huma.TypeString, "3.1")
	add("getOpenAPI30YAML", "/openapi-3.0.yaml", "yaml", huma.TypeString, "3.0.3, for generators that do not support 3.1. It leaves the webhooks out")
}

// Types with the schemas of other types.
type (
	decimalAlias   struct{}
	timestampAlias struct{}
	objectAlias    struct{}
)

func exactNumber() *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Extensions: map[string]any{"x-go-type": "json.Number"}}
}

// Schema describes exact numbers. Generated Go clients keep the digits.
func (decimalAlias) Schema(huma.Registry) *huma.Schema { return exactNumber() }

// Schema describes times.
func (timestampAlias) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// Schema describes any JSON object.
func (objectAlias) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// NewRegistry returns the registry of an API's schemas. name names them.
func NewRegistry(name func(t reflect.Type, hint string) string) huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", name)
	r.RegisterTypeAlias(reflect.TypeFor[money.Decimal](), reflect.TypeFor[decimalAlias]())
	r.RegisterTypeAlias(reflect.TypeFor[money.Piconero](), reflect.TypeFor[decimalAlias]())
	r.RegisterTypeAlias(reflect.TypeFor[wire.Time](), reflect.TypeFor[timestampAlias]())
	r.RegisterTypeAlias(reflect.TypeFor[json.RawMessage](), reflect.TypeFor[objectAlias]())
	return r
}

// FinishSchemas adds the schemas of the error bodies, and removes those of Huma's own errors,
// which no operation answers with. Unknown names in bodies are ignored.
func FinishSchemas(r huma.Registry, errors ...reflect.Type) {
	for _, body := range errors {
		r.Schema(body, true, "")
	}
	delete(r.Map(), "ErrorModel")
	delete(r.Map(), "ErrorDetail")
	for _, s := range r.Map() {
		s.AdditionalProperties = nil
	}
}

// FinishNullable corrects the schemas where Huma lacks information: pointers may be null, and
// lists never are.
func FinishNullable(r huma.Registry) {
	for name, s := range r.Map() {
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
