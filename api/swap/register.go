package swap

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/exchangeapi"
)

// route describes an operation for the documents. All operations are GET.
type route struct {
	id, path      string
	tag           string
	summary, text string
	// status is the status of success; 0 means 200.
	status int
	// errors are further statuses, in addition to those that every operation may answer.
	errors []int
	// writes is set if the call counts as a write.
	writes bool
	// needed is set if a key is required and not just accepted.
	needed bool
	// probe is set for an operation that is not counted and needs no key.
	probe    bool
	query    []*huma.Param
	response any
}

// out is an answer with a JSON body.
type out[T any] struct{ Body T }

func add[O any](api huma.API, a *app, r route, h func(context.Context, *query) (*O, error)) {
	op := r.operation()
	if !r.probe {
		op.Middlewares = huma.Middlewares{a.identify(exchangeapi.Kind(r.writes))}
	}
	huma.Register(api, op, func(ctx context.Context, q *query) (*O, error) {
		o, err := h(ctx, q)
		if err != nil {
			return nil, a.problemOf(ctx, err)
		}
		return o, nil
	})
}

func (r route) operation() huma.Operation {
	op := huma.Operation{
		OperationID: r.id, Method: http.MethodGet, Path: r.path, Summary: r.summary, Description: r.text,
		Tags: []string{r.tag}, Parameters: r.query, DefaultStatus: r.status, SkipValidateParams: true,
		Security: []map[string][]string{}, Responses: map[string]*huma.Response{},
	}
	if op.DefaultStatus == 0 {
		op.DefaultStatus = http.StatusOK
	}
	op.Responses[strconv.Itoa(op.DefaultStatus)] = &huma.Response{
		Description: "Success", Headers: versionHeader(), Content: map[string]*huma.MediaType{jsonType: {Example: r.response}},
	}
	statuses := append(slices.Clone(r.errors), http.StatusInternalServerError)
	if !r.probe {
		statuses = append(statuses, http.StatusBadRequest, http.StatusUnauthorized, http.StatusTooManyRequests)
		op.Security = append(op.Security, map[string][]string{securityKey: {}})
		if !r.needed {
			op.Security = append(op.Security, map[string][]string{})
		}
	}
	for _, status := range statuses {
		op.Responses[strconv.Itoa(status)] = errorResponse(status)
	}
	return op
}

// describe sets the schema of an answer that a handler writes itself.
func describe[T any](api huma.API, op *huma.Operation, status string) {
	content := op.Responses[status].Content
	for name := range content {
		if name != jsonType {
			delete(content, name)
		}
	}
	content[jsonType].Schema = api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}
