package merchant

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
)

// AdminRoutes are the paths of the operators' routes, each the beginning of
// theirs, for the listener that they are served on.
func AdminRoutes() []string { return []string{"/api/admin/", "/api/v1/admin/"} }

// needAdminListener serves operators on the internal listener, and on the
// public one where that is configured. Elsewhere their routes do not exist, nor
// on the onion listener, nor for who names the onion mirror on another one.
func (a *app) needAdminListener(ctx huma.Context, next func(huma.Context)) {
	c := ctx.Context()
	r, _ := humachi.Unwrap(ctx)
	if web.IsInternal(c) || (a.AdminPublic && !web.IsOnion(c) && !a.throughOnion(r)) {
		next(ctx)
		return
	}
	a.fail(ctx, &problem{Text: "there is nothing at this path", status: http.StatusNotFound})
}

// needAdmin lets the sessions of admins through: with two-factor authentication
// on, and of a login not longer ago than account.AdminSessionLife.
func (a *app) needAdmin(ctx huma.Context, next func(huma.Context)) {
	m, session := callerOf[db.Merchant](ctx.Context()), sessionOf(ctx.Context())
	switch {
	case !m.Admin:
		a.fail(ctx, errNoOperator())
	case m.TotpEnabledAt == nil:
		a.fail(ctx, forbidden("operators need two-factor authentication: enable it with POST /api/auth/2fa/setup and log in again"))
	case session.LoginAt.Before(m.TotpEnabledAt.Truncate(time.Second)): // of a login without a code
		a.fail(ctx, forbidden("log in again, with a code"))
	case !a.Clock().Before(session.LoginAt.Add(account.AdminSessionLife)):
		a.fail(ctx, unauthorized("sessions of operators end after 12 hours: log in again"))
	default:
		next(ctx)
	}
}

func errNoOperator() error { return forbidden("this is for operators") }
