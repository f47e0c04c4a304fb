package dialect

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/permission"
)

// Tags group routes.
const (
	TagAPIKeys  = "API keys"
	TagServer   = "Server"
	TagStores   = "Stores"
	TagInvoices = "Invoices"
	TagWebhooks = "Webhooks"
	TagPulls    = "Pull payments"
	TagPayouts  = "Payouts"
)

// SecurityToken names the security scheme of the surface.
const SecurityToken = "API_Key"

// API is the API that routes are added to, with their guard.
type API struct {
	huma.API

	Guard  *access.Guard
	Limits *access.Limits
	Errors Errors
}

// Route is the description of a route in the document.
type Route struct {
	ID, Method, Path string
	Tag              string
	Summary, Text    string
	// Permission is the permission that the key must have for the store in the path, or for
	// its own store if the path names none; empty if any key may use the route.
	Permission permission.Permission
	// Confirmed is operation.Route's.
	Confirmed bool
	// Errors are further statuses, in addition to those that follow from the key, the body and
	// the rate limit.
	Errors []int
	Limit  access.Limit
	// Knocks is set for a route that makes the service send requests to receivers on demand.
	Knocks bool
	Query  []*huma.Param
	// Request and Response are examples of the bodies.
	Request, Response any
}

// Public adds a route that needs no key.
func Public[I, O any](api API, r Route, h func(context.Context, *I) (*O, error)) {
	add(api, r, false, h, api.Limits.WithinByAddress(r.Limit)...)
}

// WithKey adds a route that needs a key with r.Permission.
func WithKey[I, O any](api API, r Route, h func(context.Context, access.Key, *I) (*O, error)) {
	r.Errors = append(r.Errors, http.StatusUnauthorized, http.StatusForbidden)
	steps := []httpapi.Step{api.Guard.NeedPermission(r.Permission, storeOf), api.Limits.Within(r.Limit, func(ctx huma.Context) string {
		return access.Of[access.Key](ctx.Context()).Counted()
	})}
	if r.Knocks {
		steps = append(steps, api.Limits.Within(access.Knock, func(ctx huma.Context) string { return access.Of[access.Key](ctx.Context()).MerchantID }))
	}
	if r.Confirmed {
		steps = append(steps, api.Guard.NeedConfirmed)
	}
	add(api, r, true, func(ctx context.Context, in *I) (*O, error) {
		return h(ctx, access.Of[access.Key](ctx), in)
	}, steps...)
}

// storeOf returns the store in the path; empty for none.
func storeOf(ctx huma.Context) string { return ctx.Param("storeId") }

func add[I, O any](api API, r Route, key bool, h func(context.Context, *I) (*O, error), steps ...httpapi.Step) {
	if _, ok := reflect.TypeFor[I]().FieldByName("Body"); ok {
		r.Errors = append(r.Errors, http.StatusUnprocessableEntity)
		steps = append(steps, httpapi.TakeBody(api.Errors.Errors, nil))
	}
	op := r.operation(key)
	op.Middlewares = steps
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		o, err := h(ctx, in)
		if err != nil {
			return nil, api.Errors.Of(ctx, err)
		}
		return o, nil
	})
}

func (r Route) operation(key bool) huma.Operation {
	op := huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: r.Path, Summary: r.Summary, Description: r.text(), DefaultStatus: http.StatusOK,
		Tags: []string{r.Tag}, Parameters: r.Query, Responses: r.responses(), Security: []map[string][]string{},
		SkipValidateBody: true, SkipValidateParams: true, MaxBodyBytes: -1, BodyReadTimeout: -1,
	}
	if key {
		op.Security = append(op.Security, map[string][]string{SecurityToken: {}})
	}
	if r.Request != nil {
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{httpapi.JSON: {Example: r.Request}}}
	}
	return op
}

// text returns the description, followed by the permission that the route needs and by who may
// not use it.
func (r Route) text() string {
	text := r.Text
	if r.Permission != "" {
		text += " Needs the permission `" + string(r.Permission) + "`."
	}
	if r.Confirmed {
		text += access.ConfirmedText
	}
	return text
}

func (r Route) responses() map[string]*huma.Response {
	all := map[string]*huma.Response{"200": {Description: "Success"}}
	if r.Response != nil {
		all["200"].Content = map[string]*huma.MediaType{httpapi.JSON: {Example: r.Response}}
	}
	statuses := append(slices.Clone(r.Errors), http.StatusInternalServerError)
	if r.Limit != access.None {
		statuses = append(statuses, http.StatusTooManyRequests)
	}
	for _, status := range statuses {
		all[strconv.Itoa(status)] = Response(status)
	}
	return all
}
