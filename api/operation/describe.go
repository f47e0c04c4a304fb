package operation

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
)

// Documented returns the documented operation of a route.
func (api API) Documented(at string) *huma.Operation {
	method, path, _ := strings.Cut(at, " ")
	item := api.OpenAPI().Paths[path]
	return map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodDelete: item.Delete,
	}[method]
}

// Describe sets the schema of a route's answer that is not generated from its Go type.
func Describe[T any](api API, at string, status int, contentType string) *huma.Operation {
	op := api.Documented(at)
	content := op.Responses[strconv.Itoa(status)].Content
	if content[contentType] == nil {
		content[contentType] = &huma.MediaType{}
	}
	content[contentType].Schema = api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
	return op
}

// DescribeForm documents the bodies and answers of an operation that takes a form.
func DescribeForm[T any](api API, at string) {
	op := Describe[T](api, at, http.StatusOK, httpapi.JSON)
	op.RequestBody.Content[httpapi.FormType] = &huma.MediaType{Schema: op.RequestBody.Content[httpapi.JSON].Schema}
	delete(op.Responses["200"].Headers, "Location")
	op.Responses["303"] = &huma.Response{
		Description: "Answer to a form: the page of the charge",
		Headers: map[string]*huma.Param{"Location": {
			Description: "Path of the page", Schema: &huma.Schema{Type: huma.TypeString},
		}},
	}
}

// stepUpResponse documents the 403 of operations that ask for the password again.
func (s *Surface) stepUpResponse() *huma.Response {
	response := s.errorResponse(http.StatusForbidden)
	response.Description += "; or, with WWW-Authenticate, the password must be given again: `POST /api/auth/step-up`"
	response.Headers = map[string]*huma.Param{"WWW-Authenticate": {
		Description: "There when the password must be given again: " + httpapi.StepUpChallenge, Schema: &huma.Schema{Type: huma.TypeString},
	}}
	return response
}

// operation returns an operation as Huma registers it.
func (api API) operation(r Route) huma.Operation {
	doc, known := api.Surface.Operations[r.ID]
	if !known {
		panic("no texts for the operation " + r.ID)
	}
	method, path, _ := strings.Cut(r.At, " ")
	op := huma.Operation{
		OperationID: r.ID, Method: method, Path: path, Summary: doc.Summary, Description: api.description(r, doc),
		Tags: []string{doc.Tag}, Parameters: doc.Query, Responses: api.responses(r, doc), Security: []map[string][]string{},
		DefaultStatus: r.status(), Metadata: map[string]any{"route": r},
		SkipValidateBody: true, SkipValidateParams: true,
		// httpapi.TakeBody has its own limit and deadline. A deadline set by Huma would cut off slow
		// answers.
		MaxBodyBytes: -1, BodyReadTimeout: -1,
	}
	for _, scheme := range r.Credentials {
		needs := map[string][]string{}
		if scheme != NoCredential {
			needs[scheme] = []string{}
		}
		op.Security = append(op.Security, needs)
	}
	if doc.Request != nil {
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{httpapi.JSON: {Example: doc.Request}}}
	}
	return op
}

// description returns the text, and says at its end which permission is needed and whether the
// account's address must be confirmed.
func (api API) description(r Route, doc texts) string {
	text := strings.Join(doc.Text, " ")
	if r.Permission != "" && api.Surface.NamesPermissions {
		text += " Needs the permission `" + string(r.Permission) + "`."
	}
	if r.Confirmed {
		text += " 403 while the account's email address still has to be verified, where the service verifies addresses."
	}
	return text
}

func (api API) responses(r Route, doc texts) map[string]*huma.Response {
	success := &huma.Response{Description: "Success", Headers: maps.Clone(api.Surface.Headers)}
	if doc.Response != nil {
		success.Content = map[string]*huma.MediaType{httpapi.JSON: {Example: doc.Response}}
	}
	all := map[string]*huma.Response{strconv.Itoa(r.status()): success}
	statuses := slices.Concat(doc.Errors, r.Refusals, []int{http.StatusInternalServerError})
	if r.Limit != access.None {
		statuses = append(statuses, http.StatusTooManyRequests)
	}
	for _, status := range statuses {
		all[strconv.Itoa(status)] = api.Surface.errorResponse(status)
	}
	if r.Recent {
		all["403"] = api.Surface.stepUpResponse()
	}
	return all
}

// documentIgnored documents the header with the names of ignored fields.
func documentIgnored(answer *huma.Response) {
	if answer.Headers == nil {
		answer.Headers = map[string]*huma.Param{}
	}
	answer.Headers[httpapi.IgnoredHeader] = &huma.Param{
		Description: "Fields of the body that had no effect, with commas between them; there if there are any", Schema: &huma.Schema{Type: huma.TypeString},
	}
}

// Event documents the request that the service sends to webhooks for an event. headers are the
// texts of its headers, in the order of their names.
func Event(op huma.Operation, body *huma.Schema, headers map[string]string) *huma.PathItem {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: name, In: "header", Required: true, Description: headers[name], Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
	op.Security = []map[string][]string{}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{httpapi.JSON: {Schema: body}}}
	op.Responses = map[string]*huma.Response{
		"200": {Description: "The event was received"}, "400": {Description: "Not accepted; it is tried again"},
	}
	return &huma.PathItem{Post: &op}
}
