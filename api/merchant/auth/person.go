package auth

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/staff"
)

// Person is somebody with a session, and the shop that they work in: their own, or one
// whose staff they are of.
type Person struct {
	account, shop db.Merchant
	// Role is what they are in the shop.
	Role staff.Role
}

// ID is the account of the person.
func (p Person) ID() string { return p.account.MerchantID }

// PersonOf is who a request is from, and false for a request of a key.
func PersonOf(ctx context.Context) (Person, bool) {
	p, is := ctx.Value(personKey).(Person)
	return p, is
}

// person finds out who has the session of a request, and lets them do what their role in
// the shop allows (403).
func (g *Guard) person(ctx huma.Context) (account.Session, Person, error) {
	session, m, err := g.sessionMerchant(ctx.Context(), g.limits.ClientOf(ctx), ctx.Header("Authorization"))
	if err != nil {
		return session, Person{}, err
	}
	p := Person{account: m, shop: m}
	d, _ := deskOf(ctx.Context())
	if d.Shop != "" && d.Shop != m.MerchantID {
		if err := g.joins(ctx.Context(), &p, d.Shop); err != nil {
			return session, Person{}, err
		}
	}
	if !staff.May(p.Role, d.Mode == config.Sandbox, ctx.Operation().OperationID) {
		return session, Person{}, answer.Forbidden("your role in this shop does not allow this")
	}
	return session, p, nil
}

// joins takes a person to a shop whose staff they are of (403 for any other).
func (g *Guard) joins(ctx context.Context, p *Person, shop string) error {
	row, err := g.store.GetStaff(ctx, db.GetStaffParams{MerchantID: shop, PersonID: p.ID()})
	if postgres.IsNotFound(err) {
		return errNotStaff()
	}
	if err != nil {
		return err
	}
	p.Role = staff.Role(row.Role)
	if p.shop, err = g.store.GetMerchant(ctx, shop); err != nil {
		return NoSession(err)
	}
	switch {
	case p.shop.DeletedAt != nil:
		return errNotStaff()
	case p.shop.SuspendedAt != nil:
		return Suspended()
	default:
		return nil
	}
}

func errNotStaff() error { return answer.Forbidden("you do not work in this shop") }

// stillOn asks once more whether the person's session goes on, and their role.
func (p Person) stillOn(ctx context.Context, q *db.Queries) error {
	now, err := q.GetMerchant(ctx, p.ID())
	switch {
	case err != nil:
		return NoSession(err)
	case now.SuspendedAt != nil:
		return Suspended()
	}
	if err := StillIn(p.account, now); err != nil || p.Role == staff.Merchant {
		return err
	}
	row, err := q.GetStaff(ctx, db.GetStaffParams{MerchantID: p.shop.MerchantID, PersonID: p.ID()})
	if postgres.IsNotFound(err) || (err == nil && staff.Role(row.Role) != p.Role) {
		return errNotStaff()
	}
	return err
}

// staffStillOn is stillOn for a request of somebody of the staff; nil for others.
func staffStillOn(ctx context.Context, q *db.Queries) error {
	if p, is := PersonOf(ctx); is && p.Role != staff.Merchant {
		return p.stillOn(ctx, q)
	}
	return nil
}

// Since is from when on the caller sees charges: a cashier those of today, see
// staff.SeenSince. It is the
// zero time for who sees all.
func (k Key) Since(now time.Time) time.Time {
	if k.by != nil && k.by.Role == staff.Cashier {
		return staff.SeenSince(now)
	}
	return time.Time{}
}

// Counted is as whom the caller's requests are counted: the machines of a shop together, by
// mode, and each person at the desk apart from them, so that no till uses up the shop's.
func (k Key) Counted() string {
	as := k.MerchantID + ":" + string(k.Mode)
	if k.by != nil {
		as += ":" + k.by.ID()
	}
	return as
}

// MadeBy is the person of the staff that the caller is; empty for the merchant and for
// keys.
func (k Key) MadeBy() string {
	if k.by == nil || k.by.Role == staff.Merchant {
		return ""
	}
	return k.by.ID()
}
