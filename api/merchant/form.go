package merchant

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/rawjson"
)

const formType = "application/x-www-form-urlencoded"

// form says that an operation takes a plain HTML form as well, and how its
// texts become the operation's JSON body. Inputs that were left empty are not
// given.
type form struct {
	// numbers name the inputs that are JSON numbers, lists those that may come
	// more than once. All others are texts.
	numbers, lists []string
}

// object is the JSON body that a form stands for.
func (f *form) object(raw []byte) ([]byte, error) {
	inputs, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, badRequest("the form is not valid")
	}
	members := make([]rawjson.Member, 0, len(inputs))
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		values := inputs[name]
		if len(values) > 1 && !slices.Contains(f.lists, name) {
			return nil, badRequest("an input of the form is repeated")
		}
		text := strings.Join(values, ",")
		if !utf8.ValidString(name + text) {
			return nil, badRequest("the form is not valid UTF-8")
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		value := rawjson.Value(text)
		if slices.Contains(f.numbers, name) {
			value = json.RawMessage(strings.TrimSpace(text))
		}
		if !json.Valid(value) {
			return nil, badRequest("%s must be a number", name)
		}
		members = append(members, rawjson.Member{Name: name, Value: value})
	}
	return []byte(rawjson.Object(members)), nil
}

// isForm tells whether a request came from an HTML form.
func isForm(ctx context.Context) bool {
	_, from := ctx.Value(formKey).(sentForm)
	return from
}

// sentForm is known of a request that came from an HTML form: lang is the
// language that its sender chose for the pages, or empty.
type sentForm struct{ lang string }

// formAnswer is JSON for programs, and for an HTML form the way to a page.
type formAnswer[T any] struct {
	Status   int
	Location string `header:"Location"`
	Body     any
}

// toPage answers a form with the page of a charge, anything else with JSON.
func toPage[T any](ctx context.Context, chargeID string, v T) *formAnswer[T] {
	if sent, ok := ctx.Value(formKey).(sentForm); ok {
		return &formAnswer[T]{Status: http.StatusSeeOther, Location: pages.PathOf(chargeID, sent.lang), Body: []byte(nil)}
	}
	return &formAnswer[T]{Status: http.StatusOK, Body: v}
}

// describeForm documents what an operation with a form takes and answers.
func describeForm[T any](api huma.API, path string) {
	op := api.OpenAPI().Paths[path].Post
	op.RequestBody.Content[formType] = &huma.MediaType{Schema: op.RequestBody.Content[jsonType].Schema}
	describe[T](api, op, jsonType)
	delete(op.Responses["200"].Headers, "Location")
	op.Responses["303"] = &huma.Response{
		Description: "Answer to a form: the page of the charge",
		Headers: map[string]*huma.Param{"Location": {
			Description: "Path of the page", Schema: &huma.Schema{Type: huma.TypeString},
		}},
	}
}
