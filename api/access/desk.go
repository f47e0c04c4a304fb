package access

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
)

// deskMark is the context key under which a request of the desk carries its Desk.
type deskMark struct{}

// Desk describes a request of the desk.
type Desk struct {
	Mode config.Mode
	// Shop is the merchant whose shop the person works in; empty for their own.
	Shop string
	// Account is the person's row, if the same visit has just read it; nil if the guard must read
	// it.
	Account *db.Merchant
}

// FromDesk marks a request that the service's own desk makes for a person who has logged in. The
// person's session then works in the given shop and may do everything that a key of the contract
// of the given mode may do. Requests from outside the process are never marked.
func FromDesk(ctx context.Context, d Desk) context.Context {
	return context.WithValue(ctx, deskMark{}, d)
}

// account returns the row of a session's merchant. It uses the row that the desk has just read,
// if there is one.
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

// deskCaller returns the shop in which the desk's session works, as if the request had a key. It
// returns false for a request that is not from the desk.
func (g *Guard) deskCaller(ctx huma.Context) (Key, bool, error) {
	d, is := deskOf(ctx.Context())
	if !is {
		return Key{}, false, nil
	}
	session, p, err := g.person(ctx)
	return Key{
		MerchantID: p.shop.MerchantID, Mode: d.Mode, Permissions: permission.All(), confirmed: p.shop.EmailVerifiedAt != nil, by: &p, session: session,
	}, true, err
}
