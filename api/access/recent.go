package access

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

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
