package access

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres"
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
		g.errors.Fail(ctx, httpapi.Forbidden("operators need two-factor authentication: turn it on at the merchants' desk, under Settings, and log in again"))
	case session.LoginAt.Before(m.TotpEnabledAt.Truncate(time.Second)): // the login was made without a code
		g.errors.Fail(ctx, httpapi.Forbidden("log in again, with a code"))
	case !g.clock().Before(session.LoginAt.Add(account.AdminSessionLife)):
		g.errors.Fail(ctx, httpapi.Unauthorized("sessions of operators end after 12 hours: log in again"))
	default:
		next(ctx)
	}
}

func errNoOperator() error { return httpapi.Forbidden("this is for operators") }

// NeedRecent lets a session through if it has given the password or a code recently. With
// two-factor authentication on, the guarded operations ask for a code themselves, so NeedRecent
// lets those sessions through, unless noCode is set: the operation takes no code. The password
// is always the person's own, in any shop.
func (g *Guard) NeedRecent(noCode bool) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if p, _ := PersonOf(ctx.Context()); !g.stepUp || (p.account.TotpEnabledAt != nil && !noCode) {
			next(ctx)
			return
		}
		g.needRecent(ctx, next)
	}
}

func (g *Guard) needRecent(ctx huma.Context, next func(huma.Context)) {
	recent, err := g.isRecent(ctx.Context(), SessionOf(ctx.Context()))
	if err == nil && !recent {
		err = httpapi.StepUp()
	}
	if err != nil {
		g.errors.Fail(ctx, err)
		return
	}
	next(ctx)
}

// isRecent reports whether the session gave the password recently enough.
func (g *Guard) isRecent(ctx context.Context, session account.Session) (bool, error) {
	now := g.clock()
	if now.Before(session.FreshUntil()) {
		return true, nil
	}
	row, err := g.store.GetSession(ctx, db.GetSessionParams{ID: session.ID, MerchantID: session.MerchantID})
	if postgres.IsNotFound(err) {
		return false, nil
	}
	return err == nil && row.ConfirmedUntil != nil && now.Before(*row.ConfirmedUntil), err
}

// NeedConfirmed refuses requests whose effects would outlast a change of the account's owner,
// until the account's address is confirmed (403). Anyone can sign up with another person's
// address. Such a person may try the service, but cannot leave anything in the account that
// still works after the address's owner takes it over. Where addresses are not verified,
// NeedConfirmed lets every request through.
func (g *Guard) NeedConfirmed(ctx huma.Context, next func(huma.Context)) {
	if g.verifyEmail && !confirmed(ctx.Context()) {
		g.errors.Fail(ctx, Unconfirmed())
		return
	}
	next(ctx)
}

// confirmed reports whether the address of the request's shop was confirmed.
func confirmed(ctx context.Context) bool {
	if key := Of[Key](ctx); key.MerchantID != "" {
		return key.confirmed
	}
	return Of[db.Merchant](ctx).EmailVerifiedAt != nil
}

// Unconfirmed refuses a person who has not confirmed the address of their account (403).
func Unconfirmed() error {
	return httpapi.Forbidden("the email address is not verified yet: open the link in the mail, or ask for another")
}
