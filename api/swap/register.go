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

// route is what the documents say of an operation, all of which are GET.
type route struct {
	id, path      string
	tag           string
	summary, text string
	// status is that of success; 200 when it is 0.
	status int
	// errors are the statuses beside those that every operation may answer.
	errors []int
	// writes says that the call counts as a write.
	writes bool
	// needed says that a key is required, not only taken.
	needed bool
	// probe is neither counted nor asked for a key.
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

// describe gives an answer that is written by hand its schema.
func describe[T any](api huma.API, op *huma.Operation, status string) {
	content := op.Responses[status].Content
	for name := range content {
		if name != jsonType {
			delete(content, name)
		}
	}
	content[jsonType].Schema = api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}
