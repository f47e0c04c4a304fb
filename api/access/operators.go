package access

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
)

// NeedAdminListener serves operators on the internal listener, and on the public one if that is
// configured. Elsewhere their routes do not exist (404). They never exist on the onion listener,
// nor for a request that reaches another listener under the name of the onion mirror.
func (g *Guard) NeedAdminListener(ctx huma.Context, next func(huma.Context)) {
	c := ctx.Context()
	r, _ := humachi.Unwrap(ctx)
	if web.IsInternal(c) || (g.adminPublic && !web.IsOnion(c) && !g.limits.ThroughOnion(r)) {
		next(ctx)
		return
	}
	g.errors.Fail(ctx, &httpapi.Problem{Text: "there is nothing at this path", Status: http.StatusNotFound})
}

// NeedAdmin lets through an operator's session if the account has two-factor authentication on.
// The login must have used a code and must not be older than account.AdminSessionLife.
func (g *Guard) NeedAdmin(ctx huma.Context, next func(huma.Context)) {
	m, session := Of[db.Merchant](ctx.Context()), SessionOf(ctx.Context())
	switch {
	case !m.Admin:
		g.errors.Fail(ctx, errNoOperator())
	case m.TotpEnabledAt == nil:
		g.errors.Fail(ctx, httpapi.Forbidden("operators need two-factor authentication: enable it with POST /api/auth/2fa/setup and log in again"))
	case session.LoginAt.Before(m.TotpEnabledAt.Truncate(time.Second)): // the login was made without a code
		g.errors.Fail(ctx, httpapi.Forbidden("log in again, with a code"))
	case !g.clock().Before(session.LoginAt.Add(account.AdminSessionLife)):
		g.errors.Fail(ctx, httpapi.Unauthorized("sessions of operators end after 12 hours: log in again"))
	default:
		next(ctx)
	}
}

func errNoOperator() error { return httpapi.Forbidden("this is for operators") }
