package testclocks

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/postgres"
)

// path is where the surface lies.
const path = "/v1/test_helpers/test_clocks"

// Owns says whether a path lies on this surface: it has all that Stripe's clients ask
// for.
func Owns(path string) bool { return strings.HasPrefix(path, "/v1/") }

// Deps is what the surface is made of; the merchants' API shares it.
type Deps struct {
	Store  *postgres.Store
	Guard  *auth.Guard
	Limits *limits.Limits
	Errors answer.Errors
	Start  start.Workflows
	Clock  func() time.Time
}

// surface is what routes are added to, and what they work with.
type surface struct {
	api    huma.API
	errors answer.Errors
	guard  *auth.Guard
	limits *limits.Limits
	store  *postgres.Store
	start  start.Workflows
	clock  func() time.Time
}

// Register adds the surface to the router of the merchants' API.
func Register(router chi.Router, d Deps) {
	errors := d.Errors
	errors.Body = body
	s := &surface{
		api: humachi.New(router, huma.Config{
			OpenAPI:       &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "Test clocks", Version: "1"}},
			Formats:       map[string]huma.Format{answer.JSON: request.Format()},
			DefaultFormat: answer.JSON,
		}),
		errors: errors, guard: d.Guard.Answering(errors), limits: d.Limits.Answering(errors), store: d.Store, start: d.Start, clock: d.Clock,
	}
	route(s, "createTestClock", http.MethodPost, path, s.create)
	route(s, "listTestClocks", http.MethodGet, path, s.list)
	route(s, "getTestClock", http.MethodGet, path+"/{id}", s.get)
	route(s, "deleteTestClock", http.MethodDelete, path+"/{id}", s.remove)
	route(s, "advanceTestClock", http.MethodPost, path+"/{id}/advance", s.advance)
}

// route adds a route that needs a test key. The name is what people see of what was done at the desk.
func route[I, O any](s *surface, name, method, path string, h func(context.Context, auth.Key, *I) (*O, error)) {
	op := huma.Operation{
		OperationID: name, Method: method, Path: path, DefaultStatus: http.StatusOK,
		SkipValidateBody: true, SkipValidateParams: true, MaxBodyBytes: -1, BodyReadTimeout: -1,
		Middlewares: []request.Step{s.guard.NeedTestKey, s.limits.Within(limits.Other, func(ctx huma.Context) string {
			return auth.Of[auth.Key](ctx.Context()).Counted()
		}), s.guard.NoteAction},
	}
	if method == http.MethodPost {
		op.Middlewares = append(op.Middlewares, request.TakeInputs(s.errors))
	}
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		o, err := h(ctx, auth.Of[auth.Key](ctx), in)
		if err != nil {
			return nil, of(ctx, s.errors, err)
		}
		return o, nil
	})
}
