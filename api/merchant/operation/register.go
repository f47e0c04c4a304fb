package operation

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
)

// API is the API to which operations are added, with the guard of its credentials.
type API struct {
	huma.API

	Guard  *access.Guard
	Limits *access.Limits
	Errors httpapi.Errors
}

// Route describes an operation.
type Route struct {
	ID, Method, Path string
	Tag              string
	Summary, Text    string
	// Errors are statuses in addition to those that follow from its credential, its body and its
	// rate limit.
	Errors []int
	Limit  access.Limit
	// Form is set if the operation takes an HTML form too.
	Form *httpapi.Form
	// Permission is the permission that an application's key needs for an operation registered by
	// WithKey.
	Permission permission.Permission
	// Recent marks a change that asks for the password again.
	Recent bool
	// NoCode is set for a Recent change that takes no code of a second factor in its body. It
	// always needs a recent step-up with the password or a code, whether or not the account has a
	// second factor.
	NoCode bool
	// Knocks marks an operation that makes the service send requests to receivers on demand.
	Knocks bool
	// Reads marks an operation that changes nothing, whatever its method.
	Reads bool
	// Confirmed marks a change that needs a confirmed address, where addresses are verified. Its
	// effect would outlast the moment at which the address's owner takes the account over.
	Confirmed bool
	// Slow marks an operation whose answer may take longer than a client's time to send its body.
	Slow  bool
	Query []*huma.Param
	// Request and response are examples of the bodies.
	Request, Response any
}

// Public registers an operation that needs no credential. The steps in more run after its rate
// limit.
func Public[I, O any](api API, r Route, h func(context.Context, *I) (*O, error), more ...httpapi.Step) {
	steps := api.Limits.WithinByAddress(r.Limit)
	if r.Method != http.MethodGet {
		steps = append(steps, hashesAs(api.Limits.ClientOf))
	}
	add(api, r, "", h, append(steps, more...)...)
}

// WithKey registers an operation that needs an API key: a key of the contract, or an
// application's key with r.Permission.
func WithKey[I, O any](api API, r Route, h func(context.Context, access.Key, *I) (*O, error)) {
	r.Errors = append(r.Errors, http.StatusUnauthorized, http.StatusForbidden)
	add(api, r, SecurityKey, func(ctx context.Context, in *I) (*O, error) {
		return h(ctx, access.Of[access.Key](ctx), in)
	}, r.guarded(api, api.Guard.NeedKeyFor(r.Permission), func(ctx huma.Context) string {
		return access.Of[access.Key](ctx.Context()).Counted()
	}, func(ctx huma.Context) string { return access.Of[access.Key](ctx.Context()).MerchantID })...)
}

// WithSession registers an operation that needs a session token. The handler gets the merchant's
// row from the moment at which the token was checked.
func WithSession[I, O any](api API, r Route, h func(context.Context, db.Merchant, *I) (*O, error)) {
	r.Errors = append(r.Errors, http.StatusUnauthorized, http.StatusForbidden)
	steps := r.guarded(api, api.Guard.NeedSession, personOfSession, merchantOfSession)
	if r.Recent {
		steps = append(steps, api.Guard.NeedRecent(r.NoCode))
	}
	add(api, r, SecurityJWT, func(ctx context.Context, in *I) (*O, error) {
		return h(ctx, access.Of[db.Merchant](ctx), in)
	}, append(steps, hashesAs(merchantOfSession))...)
}

// guarded returns the steps of an operation that needs a credential: they check the credential,
// the rate limits and the address, and record the action.
func (r Route) guarded(api API, who httpapi.Step, client, merchant func(huma.Context) string) []httpapi.Step {
	steps := []httpapi.Step{who, api.Limits.Within(r.Limit, client)}
	if r.Knocks {
		steps = append(steps, api.Limits.Within(access.Knock, merchant))
	}
	if !r.Reads {
		steps = append(steps, api.Guard.NoteAction)
	}
	if r.Confirmed {
		steps = append(steps, api.Guard.NeedConfirmed)
	}
	return steps
}

func merchantOfSession(ctx huma.Context) string {
	return access.Of[db.Merchant](ctx.Context()).MerchantID
}

// personOfSession returns the identifier of the shop, with that of the person if a staff member
// works there.
func personOfSession(ctx huma.Context) string {
	shop := merchantOfSession(ctx)
	if p, is := access.PersonOf(ctx.Context()); is && p.ID() != shop {
		return shop + ":" + p.ID()
	}
	return shop
}

// hashesAs sets the client as whom an operation's passwords are hashed, because clients take
// turns at hashing.
func hashesAs(client func(huma.Context) string) httpapi.Step {
	return func(ctx huma.Context, next func(huma.Context)) {
		next(huma.WithContext(ctx, account.WithClient(ctx.Context(), client(ctx))))
	}
}

// WithAdmin registers an operation that needs the session token of an operator, on a listener
// where operators are served.
func WithAdmin[I, O any](api API, r Route, h func(context.Context, operator.Actor, *I) (*O, error)) {
	r.Tag = TagAdmin
	r.Errors = append(r.Errors, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound)
	caller := func(ctx context.Context) string { return access.Of[db.Merchant](ctx).MerchantID }
	add(api, r, SecurityJWT, func(ctx context.Context, in *I) (*O, error) {
		if r.Method != http.MethodGet {
			if err := api.Guard.StillOn(ctx, access.Of[db.Merchant](ctx)); err != nil {
				return nil, err
			}
		}
		return h(ctx, operator.Actor(caller(ctx)), in)
	}, api.Guard.NeedAdminListener, api.Guard.NeedSession, api.Guard.NeedAdmin, api.Limits.Within(r.Limit, func(ctx huma.Context) string { return caller(ctx.Context()) }))
}

func add[I, O any](api API, r Route, security string, h func(context.Context, *I) (*O, error), steps ...httpapi.Step) {
	if _, ok := reflect.TypeFor[I]().FieldByName("Body"); ok {
		r.Errors = append(r.Errors, http.StatusBadRequest)
		steps = append(steps, httpapi.TakeBody(api.Errors, r.Form))
	}
	if r.Slow {
		steps = append(steps, httpapi.WithoutReadDeadline)
	}
	op := r.operation(security)
	op.Middlewares = steps
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		o, err := h(ctx, in)
		if err != nil {
			return nil, api.Errors.Of(ctx, err)
		}
		return o, nil
	})
}

// text returns the description, and says at its end if the account's address must be confirmed.
func (r Route) text() string {
	if r.Confirmed {
		return r.Text + access.ConfirmedText
	}
	return r.Text
}

func (r Route) operation(security string) huma.Operation {
	op := huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: r.Path, Summary: r.Summary, Description: r.text(),
		Tags: []string{r.Tag}, Parameters: r.Query, Responses: r.responses(), Security: []map[string][]string{},
		SkipValidateBody: true, SkipValidateParams: true,
		// httpapi.TakeBody has its own limit and deadline. A deadline set by Huma would cut off slow
		// answers.
		MaxBodyBytes: -1, BodyReadTimeout: -1,
	}
	if security != "" {
		op.Security = append(op.Security, map[string][]string{security: {}})
	}
	if r.Request != nil {
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{httpapi.JSON: {Example: r.Request}}}
	}
	return op
}

func (r Route) responses() map[string]*huma.Response {
	all := map[string]*huma.Response{}
	if r.Response != nil {
		all["200"] = &huma.Response{Description: "Success", Content: map[string]*huma.MediaType{httpapi.JSON: {Example: r.Response}}}
	}
	statuses := append(slices.Clone(r.Errors), http.StatusInternalServerError)
	if r.Limit != access.None {
		statuses = append(statuses, http.StatusTooManyRequests)
	}
	for _, status := range statuses {
		all[strconv.Itoa(status)] = ErrorResponse(status)
	}
	if r.Recent {
		all["403"] = stepUpResponse()
	}
	return all
}
