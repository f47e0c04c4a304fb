package auth

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/internal/postgres/db"
)

// NeedConfirmed refuses what would outlast the account's change of owner, while nobody has
// confirmed the account's address (403). Anybody can sign up with somebody's address: such a
// person may try the service, and plants nothing for the day on which the owner takes over.
// Where addresses are not verified it lets everything through.
func (g *Guard) NeedConfirmed(ctx huma.Context, next func(huma.Context)) {
	if g.verifyEmail && !confirmed(ctx.Context()) {
		g.errors.Fail(ctx, Unconfirmed())
		return
	}
	next(ctx)
}

// ConfirmedText says of an operation that NeedConfirmed guards it.
const ConfirmedText = " 403 while the account's email address still has to be verified, where the service verifies addresses."

// confirmed reports whether the address of the shop that a request is for was confirmed.
func confirmed(ctx context.Context) bool {
	if key := Of[Key](ctx); key.MerchantID != "" {
		return key.confirmed
	}
	return Of[db.Merchant](ctx).EmailVerifiedAt != nil
}

// Unconfirmed refuses who has not confirmed the address of their account (403).
func Unconfirmed() error {
	return answer.Forbidden("the email address is not verified yet: open the link in the mail, or ask for another")
}
