package access

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Person is a person with a session, and the shop in which they work: their own, or one that
// employs them.
type Person struct {
	account, shop db.Merchant
	// Role is the person's role in the shop.
	Role permission.Role
}

// ID returns the identifier of the person's account.
func (p Person) ID() string { return p.account.MerchantID }

// PersonOf returns the person who sent a request. It returns false for a request with a key.
func PersonOf(ctx context.Context) (Person, bool) {
	p, is := ctx.Value(personKey).(Person)
	return p, is
}

// person returns the session and the person of a request. It refuses what the person's role in
// the shop does not allow (403).
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
	if !permission.May(p.Role, d.Mode == config.Sandbox, ctx.Operation().OperationID) {
		return session, Person{}, httpapi.Forbidden("your role in this shop does not allow this")
	}
	return session, p, nil
}

// joins sets the shop and the role of a person who works there (403 for any other shop).
func (g *Guard) joins(ctx context.Context, p *Person, shop string) error {
	row, err := g.store.GetStaff(ctx, db.GetStaffParams{MerchantID: shop, PersonID: p.ID()})
	if err != nil {
		return httpapi.Missing(err, errNotStaff())
	}
	p.Role = permission.Role(row.Role)
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

func errNotStaff() error { return httpapi.Forbidden("you do not work in this shop") }

// stillOn checks again that the person's session is valid and that they still have their role.
func (p Person) stillOn(ctx context.Context, q *db.Queries) error {
	now, err := q.GetMerchant(ctx, p.ID())
	if err != nil {
		return NoSession(err)
	}
	if err := StillIn(p.account, now); err != nil || p.Role == permission.Merchant {
		return err
	}
	row, err := q.GetStaff(ctx, db.GetStaffParams{MerchantID: p.shop.MerchantID, PersonID: p.ID()})
	if postgres.IsNotFound(err) || (err == nil && permission.Role(row.Role) != p.Role) {
		return errNotStaff()
	}
	return err
}

// staffStillOn calls stillOn for a request of a staff member. It returns nil for every other
// request.
func staffStillOn(ctx context.Context, q *db.Queries) error {
	if p, is := PersonOf(ctx); is && p.Role != permission.Merchant {
		return p.stillOn(ctx, q)
	}
	return nil
}

// Since returns the time from which the caller may see charges. A cashier sees those of today,
// see permission.SeenSince. Other callers see all: for them it is the zero time.
func (k Key) Since(now time.Time) time.Time {
	if k.by != nil && k.by.Role == permission.Cashier {
		return permission.SeenSince(now)
	}
	return time.Time{}
}

// Counted returns the name under which the caller's requests are counted. A shop's keys of a
// mode share one count. Each person at the desk has their own, so that no person uses up the
// limit of the shop's machines.
func (k Key) Counted() string {
	as := k.MerchantID + ":" + string(k.Mode)
	if k.by != nil {
		as += ":" + k.by.ID()
	}
	return as
}

// MadeBy returns the identifier of the staff member who calls; empty for the merchant and for
// keys.
func (k Key) MadeBy() string {
	if k.by == nil || k.by.Role == permission.Merchant {
		return ""
	}
	return k.by.ID()
}

// Hash returns the hash of the caller's key; nil for a person at the desk.
func (k Key) Hash() []byte { return k.hash }

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

// maxActionPath is how many bytes of a path are recorded.
const maxActionPath = 120

// NoteAction records what a person changes in a shop: once before the change, and again with the
// status of the answer. A change that cannot be recorded is not made. Of refused changes a shop
// keeps only the first hundred of a day, because refused requests cost a caller nothing.
func (g *Guard) NoteAction(ctx huma.Context, next func(huma.Context)) {
	c := ctx.Context()
	p, is := PersonOf(c)
	if !is || ctx.Method() == http.MethodGet || ctx.Method() == http.MethodHead {
		next(ctx)
		return
	}
	u := ctx.URL()
	path := u.EscapedPath() // ASCII, so any part of it can be stored
	id, err := g.store.InsertAction(c, db.InsertActionParams{
		MerchantID: p.shop.MerchantID, PersonID: p.ID(), Role: string(p.Role),
		Operation: ctx.Operation().OperationID, Path: path[:min(len(path), maxActionPath)], At: g.clock(),
	})
	if err != nil {
		g.errors.Fail(ctx, err)
		return
	}
	next(ctx)
	status := ctx.Status()
	if status == 0 {
		status = http.StatusOK
	}
	if err := g.endAction(context.WithoutCancel(c), p.shop.MerchantID, id, status); err != nil {
		g.errors.Log.WarnContext(c, "how an action ended is not written down", slog.Int64("action", id), slog.Any("error", err))
	}
}

// endAction records the status with which an action was answered. It deletes a refused action if
// the shop has already kept the day's maximum.
func (g *Guard) endAction(ctx context.Context, shop string, id int64, status int) error {
	if status >= http.StatusBadRequest && status < http.StatusInternalServerError {
		kept, err := g.limits.Take(ctx, Refused, g.store.Queries, shop)
		if err != nil {
			return err
		}
		if !kept {
			return g.store.DropAction(ctx, id)
		}
	}
	return g.store.EndAction(ctx, db.EndActionParams{ID: id, Status: int32(status)})
}
