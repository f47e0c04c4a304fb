package accounts

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

type shop struct {
	MerchantID   string          `json:"merchant_id" doc:"Public identifier of the shop, 32 hex digits" example:"0123456789abcdef0123456789abcdef"`
	BusinessName string          `json:"businessName" example:"Example Shop"`
	Role         permission.Role `json:"role" enum:"owner,accountant,cashier,support" doc:"What the person is there"`
	RefundsADay  money.Piconero  `json:"refunds_a_day_xmr" doc:"Refunds that the person makes on one day (UTC) need no approval up to this sum"`
}

type shopList struct {
	Shops []shop `json:"shops" doc:"By their names"`
}

type invitation struct {
	Token string `json:"token" required:"true" doc:"What stands at the end of the link: 64 hex digits" example:"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"`
}

func (h *Staff) shops(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[shopList], error) {
	rows, err := h.Store.ListShopsOfPerson(ctx, m.MerchantID)
	all := make([]shop, len(rows))
	for i, row := range rows {
		all[i] = shop{row.MerchantID, row.BusinessName, permission.Role(row.Role), row.RefundsADay}
	}
	return httpapi.With(shopList{all}, err)
}

func (h *Staff) read(ctx context.Context, m db.Merchant, in *struct {
	Body httpapi.Body[invitation]
}) (*httpapi.Out[shop], error) {
	token := in.Body.Value().Token
	if token == "" {
		return nil, httpapi.BadRequest("token is required")
	}
	if err := access.StillOn(ctx, h.Store, m); err != nil { // the session may have ended while the body was arriving
		return nil, err
	}
	row, err := h.find(ctx, h.Store.Queries, token)
	return httpapi.With(shopOf(row), err)
}

func shopOf(row db.FindStaffInviteRow) shop {
	return shop{row.MerchantID, row.BusinessName, permission.Role(row.Role), row.RefundsADay}
}

// find looks up an invite by its token. It returns 404 if the invite is used up, withdrawn or
// expired, or if its shop is suspended.
func (h *Staff) find(ctx context.Context, q *db.Queries, token string) (db.FindStaffInviteRow, error) {
	row, err := q.FindStaffInvite(ctx, db.FindStaffInviteParams{TokenHash: secret.HashAPIKey(token), Now: h.Clock()})
	if postgres.IsNotFound(err) || (err == nil && row.Suspended) {
		return row, httpapi.NotFound("invite")
	}
	return row, err
}

func (h *Staff) join(ctx context.Context, m db.Merchant, in *struct {
	Body httpapi.Body[invitation]
}) (*httpapi.Out[shop], error) {
	token := in.Body.Value().Token
	if token == "" {
		return nil, httpapi.BadRequest("token is required")
	}
	var joined shop
	err := access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		row, err := h.find(ctx, q, token)
		if err != nil {
			return err
		}
		// Code that ends all invites of a shop holds the shop's row. Locking it here makes sure that
		// no person joins meanwhile.
		if _, err := q.LockMerchant(ctx, row.MerchantID); err != nil {
			return err
		}
		if row, err = h.find(ctx, q, token); err != nil {
			return err
		}
		if row.MerchantID == m.MerchantID {
			return httpapi.BadRequest("this is your own shop: give the link to somebody else")
		}
		joined = shopOf(row)
		return h.enter(ctx, q, row, m.MerchantID, &joined)
	})
	return httpapi.With(joined, err)
}

// enter uses an invite up. Of two people with the same invite, only one joins. A person who
// already works in the shop keeps their role, and the invite stays valid.
func (h *Staff) enter(ctx context.Context, q *db.Queries, row db.FindStaffInviteRow, personID string, joined *shop) error {
	n, err := q.PutStaff(ctx, db.PutStaffParams{
		MerchantID: row.MerchantID, PersonID: personID, Role: row.Role, RefundsADay: row.RefundsADay, CreatedAt: h.Clock(),
	})
	if err != nil {
		return err
	}
	if n == 0 {
		is, err := q.GetStaff(ctx, db.GetStaffParams{MerchantID: row.MerchantID, PersonID: personID})
		joined.Role, joined.RefundsADay = permission.Role(is.Role), is.RefundsADay
		return err
	}
	taken, err := q.TakeStaffInvite(ctx, db.TakeStaffInviteParams{ID: row.ID, Now: h.Clock()})
	if err != nil {
		return err
	}
	if taken == 0 {
		return httpapi.NotFound("invite")
	}
	if err := written(ctx, q, db.InsertActionParams{
		MerchantID: row.MerchantID, PersonID: personID, Role: row.Role, Operation: "joinShop", Path: "/api/account/shops", At: h.Clock(),
	}); err != nil {
		return err
	}
	owner, err := q.GetMerchant(ctx, row.MerchantID)
	if err != nil {
		return err
	}
	return h.Notices.Enqueue(ctx, q, owner, notice.StaffJoined, nil)
}

func (h *Staff) leave(ctx context.Context, m db.Merchant, in *struct {
	ID string `path:"id" doc:"Public identifier of the shop" example:"0123456789abcdef0123456789abcdef"`
}) (*httpapi.Out[httpapi.OK], error) {
	if !secret.IsMerchantID(in.ID) {
		return nil, httpapi.NotFound("shop")
	}
	return httpapi.Done(access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		was, err := q.LockStaff(ctx, db.LockStaffParams{MerchantID: in.ID, PersonID: m.MerchantID})
		if err != nil {
			return httpapi.Missing(err, httpapi.NotFound("shop"))
		}
		if _, err := q.RemoveStaff(ctx, db.RemoveStaffParams{MerchantID: in.ID, PersonID: m.MerchantID}); err != nil {
			return err
		}
		return written(ctx, q, db.InsertActionParams{
			MerchantID: in.ID, PersonID: m.MerchantID, Role: was.Role, Operation: "leaveShop", Path: "/api/account/shops/" + in.ID + "/leave", At: h.Clock(),
		})
	}))
}

// written records a change in a shop's list of actions, in the transaction of that change. It is
// for changes that no request in the shop makes: a person joins or leaves, or a page of connecting
// makes a key.
func written(ctx context.Context, q *db.Queries, done db.InsertActionParams) error {
	id, err := q.InsertAction(ctx, done)
	if err != nil {
		return err
	}
	return q.EndAction(ctx, db.EndActionParams{ID: id, Status: http.StatusOK})
}
