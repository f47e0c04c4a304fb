package access

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/postgres/db"
)

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

// ConfirmedText is the sentence in the description of an operation that NeedConfirmed guards.
const ConfirmedText = " 403 while the account's email address still has to be verified, where the service verifies addresses."

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
