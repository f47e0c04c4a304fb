package merchant

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres/db"
)

// operations is the API that operations are added to, and who guards them.
type operations struct {
	huma.API

	guard  *Guard
	limits *Limits
	errors Errors
}

// route is what the documents say of an operation.
type route struct {
	id, method, path string
	tag              string
	summary, text    string
	// errors are the statuses beside those that its credential, its body and its
	// rate limit imply.
	errors []int
	limit  limit
	// form is set when an HTML form is taken besides JSON.
	form *form
	// recent marks a change that asks for the password again.
	recent bool
	// slow marks an answer that may take longer than a client may send.
	slow  bool
	query []*huma.Param
	// request and response are examples of the bodies.
	request, response any
}

// public registers an operation that needs no credential.
func public[I, O any](api operations, r route, h func(context.Context, *I) (*O, error)) {
	add(api, r, "", h, append(api.limits.limitedByAddress(r.limit), hashesAs(api.limits.ClientOf))...)
}

// withKey registers an operation that needs an API key. With a body it asks for
// the key again when that has come.
func withKey[I, O any](api operations, r route, h func(context.Context, keyCaller, *I) (*O, error)) {
	r.errors = append(r.errors, http.StatusUnauthorized, http.StatusForbidden)
	add(api, r, securityKey, func(ctx context.Context, in *I) (*O, error) {
		caller := callerOf[keyCaller](ctx)
		if r.request != nil {
			if err := api.guard.KeyStillOn(ctx, caller); err != nil {
				return nil, err
			}
		}
		return h(ctx, caller, in)
	}, api.guard.needKey, api.limits.limited(r.limit, func(ctx huma.Context) string {
		caller := callerOf[keyCaller](ctx.Context())
		return caller.MerchantID + ":" + string(caller.Mode)
	}))
}

// withSession registers an operation that needs a session token. The handler
// gets the merchant's row as it was when the token was checked.
func withSession[I, O any](api operations, r route, h func(context.Context, db.Merchant, *I) (*O, error)) {
	r.errors = append(r.errors, http.StatusUnauthorized, http.StatusForbidden)
	steps := []step{api.guard.needSession, api.limits.limited(r.limit, merchantOfSession)}
	if r.recent {
		steps = append(steps, api.guard.needRecent)
	}
	add(api, r, securityJWT, func(ctx context.Context, in *I) (*O, error) {
		return h(ctx, callerOf[db.Merchant](ctx), in)
	}, append(steps, hashesAs(merchantOfSession))...)
}

func merchantOfSession(ctx huma.Context) string {
	return callerOf[db.Merchant](ctx.Context()).MerchantID
}

// hashesAs names the client as whom an operation hashes passwords.
func hashesAs(client func(huma.Context) string) step {
	return func(ctx huma.Context, next func(huma.Context)) {
		next(huma.WithContext(ctx, account.WithClient(ctx.Context(), client(ctx))))
	}
}

// withAdmin registers an operation that needs the session token of an admin,
// on a listener where operators are served.
func withAdmin[I, O any](api operations, r route, h func(context.Context, operator.Actor, *I) (*O, error)) {
	r.tag = tagAdmin
	r.errors = append(r.errors, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound)
	caller := func(ctx context.Context) string { return callerOf[db.Merchant](ctx).MerchantID }
	add(api, r, securityJWT, func(ctx context.Context, in *I) (*O, error) {
		if r.method != http.MethodGet {
			if err := api.guard.StillOn(ctx, callerOf[db.Merchant](ctx)); err != nil {
				return nil, err
			}
		}
		return h(ctx, operator.Actor(caller(ctx)), in)
	}, api.guard.needAdminListener, api.guard.needSession, api.guard.needAdmin, api.limits.limited(r.limit, func(ctx huma.Context) string { return caller(ctx.Context()) }))
}

func add[I, O any](api operations, r route, security string, h func(context.Context, *I) (*O, error), steps ...step) {
	if _, ok := reflect.TypeFor[I]().FieldByName("Body"); ok {
		r.errors = append(r.errors, http.StatusBadRequest)
		steps = append(steps, takeBody(api.errors, r.form))
	}
	if r.slow {
		steps = append(steps, withoutReadDeadline)
	}
	op := r.operation(security)
	op.Middlewares = steps
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		o, err := h(ctx, in)
		if err != nil {
			return nil, api.errors.Of(ctx, err)
		}
		return o, nil
	})
}

func (r route) operation(security string) huma.Operation {
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Summary: r.summary, Description: r.text,
		Tags: []string{r.tag}, Parameters: r.query, Responses: r.responses(), Security: []map[string][]string{},
		SkipValidateBody: true, SkipValidateParams: true,
		// takeBody has its own limit and deadline; a deadline that Huma sets
		// would cut off slow answers.
		MaxBodyBytes: -1, BodyReadTimeout: -1,
	}
	if security != "" {
		op.Security = append(op.Security, map[string][]string{security: {}})
	}
	if r.request != nil {
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{jsonType: {Example: r.request}}}
	}
	return op
}

func (r route) responses() map[string]*huma.Response {
	all := map[string]*huma.Response{}
	if r.response != nil {
		all["200"] = &huma.Response{Description: "Success", Content: map[string]*huma.MediaType{jsonType: {Example: r.response}}}
	}
	statuses := append(slices.Clone(r.errors), http.StatusInternalServerError)
	if r.limit != limitNone {
		statuses = append(statuses, http.StatusTooManyRequests)
	}
	for _, status := range statuses {
		all[strconv.Itoa(status)] = errorResponse(status)
	}
	if r.recent {
		all["403"] = stepUpResponse()
	}
	return all
}
