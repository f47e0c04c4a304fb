// Package operation adds operations to an API: the credential that they need, how their errors
// are answered, and their documentation.
package operation

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"strconv"
	"strings"

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

	Surface *Surface
	Guard   *access.Guard
	Limits  *access.Limits
	Errors  httpapi.Errors
	// StoreOf returns the store that a request names, on a surface with stores in its paths.
	StoreOf func(huma.Context) string
}

// Names of security schemes.
const (
	// Session is the scheme of session tokens.
	Session = "session"
	// NoCredential stands for no scheme: the operation needs no credential.
	NoCredential = ""
)

// Route is an operation without its documentation.
type Route struct {
	// ID is its operation ID, under which the surface has its texts.
	ID string
	// At is its method and path, such as "POST /api/charges".
	At    string
	Limit access.Limit
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
	// Unrecorded is set if changes are not recorded as a person's actions.
	Unrecorded bool
	// Confirmed marks a change that needs a confirmed address, where addresses are verified. Its
	// effect would outlast the moment at which the address's owner takes the account over.
	Confirmed bool
	// Slow marks an operation whose answer may take longer than a client's time to send its body.
	Slow bool
	// Status is the status of success; 0 means 200.
	Status int
	// Guard names who is let in: every caller, a key, a session or an operator. Credentials are the
	// security schemes, one of which is needed. Refusals are the statuses that follow from them.
	// Every function but Add sets all three.
	Guard       string
	Credentials []string
	Refusals    []int
	// check runs when the body has arrived, before it is read.
	check func(context.Context) error
}

func (r Route) status() int { return cmp.Or(r.Status, http.StatusOK) }

// gets reports whether the method is GET.
func (r Route) gets() bool { return strings.HasPrefix(r.At, http.MethodGet+" ") }

// Public registers an operation that needs no credential. The steps in more run after its rate
// limit.
func Public[I, O any](api API, r Route, h func(context.Context, *I) (*O, error), more ...httpapi.Step) {
	r.Guard = "public"
	steps := api.Limits.WithinByAddress(r.Limit)
	if !r.gets() {
		steps = append(steps, hashesAs(api.Limits.ClientOf))
	}
	Add(api, r, h, append(steps, more...)...)
}

// WithKey registers an operation that needs an API key: a key of the contract, or an
// application's key with r.Permission.
func WithKey[I, O any](api API, r Route, h func(context.Context, access.Key, *I) (*O, error)) {
	r.Guard, r.Credentials, r.Refusals = "key", []string{api.Surface.Key}, []int{http.StatusUnauthorized, http.StatusForbidden}
	who := api.Guard.NeedKeyFor(r.Permission)
	if api.StoreOf != nil {
		who = api.Guard.NeedPermission(r.Permission, api.StoreOf)
		r.Unrecorded = true // such a surface is for keys, not people
	}
	Add(api, r, func(ctx context.Context, in *I) (*O, error) {
		return h(ctx, access.Of[access.Key](ctx), in)
	}, r.guarded(api, who, func(ctx huma.Context) string {
		return access.Of[access.Key](ctx.Context()).Counted()
	}, func(ctx huma.Context) string { return access.Of[access.Key](ctx.Context()).MerchantID })...)
}

// WithSession registers an operation that needs a session token. The handler gets the merchant's
// row from the moment at which the token was checked.
func WithSession[I, O any](api API, r Route, h func(context.Context, db.Merchant, *I) (*O, error)) {
	r.Guard, r.Credentials, r.Refusals = "session", []string{Session}, []int{http.StatusUnauthorized, http.StatusForbidden}
	steps := r.guarded(api, api.Guard.NeedSession, personOfSession, merchantOfSession)
	if r.Recent {
		steps = append(steps, api.Guard.NeedRecent(r.NoCode))
	}
	Add(api, r, func(ctx context.Context, in *I) (*O, error) {
		return h(ctx, access.Of[db.Merchant](ctx), in)
	}, append(steps, hashesAs(merchantOfSession))...)
}

// names returns the fields of a body whose other fields the answer names; nil if it names none.
func (api API) names(body reflect.Type) httpapi.Names {
	if !api.Surface.ShowsIgnored {
		return nil
	}
	return httpapi.NamesOf(body)
}

// guarded returns the steps of an operation that needs a credential: they check the credential,
// the rate limits and the address, and record the action.
func (r Route) guarded(api API, who httpapi.Step, client, merchant func(huma.Context) string) []httpapi.Step {
	steps := []httpapi.Step{who, api.Limits.Within(r.Limit, client)}
	if r.Knocks {
		steps = append(steps, api.Limits.Within(access.Knock, merchant))
	}
	if !r.Reads && !r.Unrecorded {
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
	r.Guard, r.Credentials, r.Refusals = "operator", []string{Session}, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}
	if !r.gets() {
		r.check = func(ctx context.Context) error { return api.Guard.StillOn(ctx, access.Of[db.Merchant](ctx)) }
	}
	Add(api, r, func(ctx context.Context, in *I) (*O, error) {
		return h(ctx, operator.Actor(access.Of[db.Merchant](ctx).MerchantID), in)
	}, api.Guard.NeedAdminListener, api.Guard.NeedSession, api.Guard.NeedAdmin, api.Limits.Within(r.Limit, merchantOfSession))
}

// Add registers an operation. Each request goes through the given steps first. If the input has a
// body, one more step takes it, and it is decoded before the handler runs.
func Add[I, O any](api API, r Route, h func(context.Context, *I) (*O, error), steps ...httpapi.Step) {
	body, takes := reflect.TypeFor[I]().FieldByName("Body")
	if takes {
		r.Refusals = append(r.Refusals, api.Surface.BadBody)
		steps = append(steps, httpapi.TakeBody(api.Errors, r.Form, api.names(body.Type)))
	}
	if r.Slow {
		steps = append(steps, httpapi.WithoutReadDeadline)
	}
	op := api.operation(r)
	op.Middlewares = steps
	if takes && api.names(body.Type) != nil {
		documentIgnored(op.Responses[strconv.Itoa(r.status())])
	}
	huma.Register(api, op, func(ctx context.Context, in *I) (o *O, err error) {
		if r.check != nil {
			err = r.check(ctx)
		}
		if err == nil && takes {
			err = httpapi.DecodeBody(reflect.ValueOf(in).Elem().FieldByIndex(body.Index).Addr().Interface())
		}
		if err == nil {
			o, err = h(ctx, in)
		}
		if err != nil {
			return nil, api.Errors.Answer(ctx, err)
		}
		return o, nil
	})
}
