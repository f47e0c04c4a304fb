package auth

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/scopedkey"
)

// deskMark is where in its context a request of the desk says what it is about.
type deskMark struct{}

// Desk is what a request of the desk is about.
type Desk struct {
	Mode config.Mode
	// Shop is the merchant whose shop the person works in; empty for their own.
	Shop string
	// Account is the person's row where the same visit has read it just now; nil to read
	// it.
	Account *db.Merchant
}

// FromDesk marks a request that the service's own desk makes for somebody who has
// logged in: a session then does what a key of the contract of the mode does, and
// works in the shop. No request from outside of the process is marked.
func FromDesk(ctx context.Context, d Desk) context.Context {
	return context.WithValue(ctx, deskMark{}, d)
}

// account is the row of a merchant who has a session: read now, or just before by the
// desk.
func (g *Guard) account(ctx context.Context, merchantID string) (db.Merchant, error) {
	if d, _ := deskOf(ctx); d.Account != nil && d.Account.MerchantID == merchantID {
		return *d.Account, nil
	}
	return g.store.GetMerchant(ctx, merchantID)
}

func deskOf(ctx context.Context) (Desk, bool) {
	d, is := ctx.Value(deskMark{}).(Desk)
	return d, is
}

// deskCaller is the merchant of the shop that the desk's session works in, as if with a
// key; false for a request that is not the desk's.
func (g *Guard) deskCaller(ctx huma.Context) (Key, bool, error) {
	d, is := deskOf(ctx.Context())
	if !is {
		return Key{}, false, nil
	}
	session, p, err := g.person(ctx)
	return Key{
		MerchantID: p.shop.MerchantID, Mode: d.Mode, Permissions: scopedkey.All(), confirmed: p.shop.EmailVerifiedAt != nil, by: &p, session: session,
	}, true, err
}
