package auth

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/scopedkey"
)

// deskMode is where the mode of a request of the desk is in its context.
type deskMode struct{}

// FromDesk marks a request that the service's own desk makes for somebody who has
// logged in: a session then does what a key of the contract of the mode does. No
// request from outside of the process is marked.
func FromDesk(ctx context.Context, mode config.Mode) context.Context {
	return context.WithValue(ctx, deskMode{}, mode)
}

// deskCaller is the merchant of the desk's session, as if with a key; false for a
// request that is not the desk's.
func (g *Guard) deskCaller(ctx huma.Context) (Key, bool, error) {
	mode, is := ctx.Context().Value(deskMode{}).(config.Mode)
	if !is {
		return Key{}, false, nil
	}
	_, m, err := g.sessionMerchant(ctx.Context(), g.limits.ClientOf(ctx), ctx.Header("Authorization"))
	return Key{MerchantID: m.MerchantID, Mode: mode, Permissions: scopedkey.All(), session: &m}, true, err
}

// sessionStillOn is keyStillOn for a session of the desk.
func sessionStillOn(ctx context.Context, q *db.Queries, m db.Merchant) error {
	now, err := q.GetMerchant(ctx, m.MerchantID)
	switch {
	case err != nil:
		return NoSession(err)
	case now.SuspendedAt != nil:
		return Suspended()
	default:
		return StillIn(m, now)
	}
}
