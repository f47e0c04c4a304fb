package accounts

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// Staff answers requests about the staff of shops.
type Staff struct {
	Store   *postgres.Store
	Box     *secret.Box
	Confirm access.Asker
	Notices notice.Notices
	Clock   func() time.Time
	// PayoutHold is how long refunds need approval after the merchant allowed more without it; 0
	// for not at all.
	PayoutHold time.Duration
	// PublicURL is the base URL that people see, without a trailing slash.
	PublicURL string
}

// Register registers the staff of a shop, the shops of a person, and the list of actions.
func (h *Staff) Register(api operation.API) {
	operation.WithSession(api, operation.Route{ID: "listStaff", At: "GET /api/account/staff"}, h.list)
	operation.WithSession(api, operation.Route{ID: "setRole", At: "PUT /api/account/staff/{id}", Confirmed: true, Recent: true}, h.setRole)
	operation.WithSession(api, operation.Route{ID: "removeStaff", At: "POST /api/account/staff/{id}/remove"}, h.remove)
	operation.WithSession(api, operation.Route{ID: "inviteStaff", At: "POST /api/account/staff/invites", Confirmed: true, Recent: true}, h.invite)
	operation.WithSession(api, operation.Route{ID: "revokeStaffInvite", At: "POST /api/account/staff/invites/{id}/revoke"}, h.revoke)
	operation.WithSession(api, operation.Route{ID: "listShops", At: "GET /api/account/shops"}, h.shops)
	operation.WithSession(api, operation.Route{ID: "readStaffInvite", At: "POST /api/account/shops/invitation", Reads: true}, h.read)
	operation.WithSession(api, operation.Route{ID: "joinShop", At: "POST /api/account/shops", Confirmed: true}, h.join)
	operation.WithSession(api, operation.Route{ID: "leaveShop", At: "POST /api/account/shops/{id}/leave"}, h.leave)
	operation.WithSession(api, operation.Route{ID: "listActions", At: "GET /api/account/actions"}, h.actions)
}

// emailOf returns the address of an account; empty if the account was deleted.
func (h *Staff) emailOf(personID string, sealed []byte) (string, error) {
	if sealed == nil {
		return "", nil
	}
	email, err := h.Box.Unseal(sealed, secret.EmailPlace.Of(personID))
	return string(email), err
}

type person struct {
	ID          string          `json:"person_id" doc:"Account of the person, 32 hex digits" example:"fedcba9876543210fedcba9876543210"`
	Email       string          `json:"email" doc:"Address of that account" example:"till@example.com"`
	Role        permission.Role `json:"role" enum:"owner,accountant,cashier,support" doc:"What the person may do"`
	RefundsADay money.Piconero  `json:"refunds_a_day_xmr" doc:"Refunds that the person makes on one day (UTC) need no approval up to this sum; only support has one"`
	CreatedAt   wire.Time       `json:"created_at" doc:"When the person joined"`
}

type staffList struct {
	Staff   []person `json:"staff" doc:"The first who joined first"`
	Invites []invite `json:"invites" doc:"Links that nobody has used yet"`
}

type newRole struct {
	Role        permission.Role `json:"role" required:"true" enum:"owner,accountant,cashier,support" doc:"owner: everything but what asks for the account's own password or code. accountant: reads charges, payouts and reports. cashier: asks for money, and sees the charges of today (UTC) and of the last 12 hours. support: reads charges, and makes refunds"`
	RefundsADay *money.Piconero `json:"refunds_a_day_xmr,omitempty" doc:"For support alone: refunds that the person makes on one day (UTC) need no approval up to this sum. 0 by default: each claim waits for one"`
	TOTPCode    *string         `json:"totp_code,omitempty" doc:"Six digits; required when two-factor authentication is on" example:"123456"`
}

// checkRole checks a role, and returns its limit for refunds of a day.
func checkRole(role permission.Role, aDay *money.Piconero) (money.Piconero, error) {
	switch {
	case !permission.IsRole(role):
		return 0, httpapi.BadRequest("role must be one of: owner, accountant, cashier, support")
	case aDay == nil:
		return 0, nil
	case role != permission.Support && *aDay != 0:
		return 0, httpapi.BadRequest("refunds_a_day_xmr is for support alone")
	default:
		return *aDay, nil
	}
}

func (h *Staff) list(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[staffList], error) {
	rows, err := h.Store.ListStaff(ctx, m.MerchantID)
	if err != nil {
		return nil, err
	}
	invites, err := h.Store.ListStaffInvites(ctx, db.ListStaffInvitesParams{MerchantID: m.MerchantID, Now: h.Clock()})
	if err != nil {
		return nil, err
	}
	all := staffList{make([]person, len(rows)), make([]invite, len(invites))}
	for i, row := range rows {
		email, err := h.emailOf(row.PersonID, row.EmailSealed)
		if err != nil {
			return nil, err
		}
		all.Staff[i] = person{row.PersonID, email, permission.Role(row.Role), row.RefundsADay, wire.TimeOf(row.CreatedAt)}
	}
	for i, row := range invites {
		all.Invites[i] = invite{row.ID, row.Note, permission.Role(row.Role), row.RefundsADay, wire.TimeOf(row.ExpiresAt)}
	}
	return httpapi.With(all, nil)
}

func (h *Staff) setRole(ctx context.Context, m db.Merchant, in *struct {
	ID   string `path:"id" doc:"Account of the person" example:"fedcba9876543210fedcba9876543210"`
	Body httpapi.Body[newRole]
}) (*httpapi.Out[httpapi.OK], error) {
	if !secret.IsMerchantID(in.ID) {
		return nil, httpapi.NotFound("person")
	}
	fields := in.Body.Value()
	sum, err := checkRole(fields.Role, fields.RefundsADay)
	if err != nil {
		return nil, err
	}
	return httpapi.Done(h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error {
		was, err := q.LockStaff(ctx, db.LockStaffParams{MerchantID: m.MerchantID, PersonID: in.ID})
		if err != nil {
			return httpapi.Missing(err, httpapi.NotFound("person"))
		}
		if sum > was.RefundsADay {
			if _, err := h.Notices.Loosened(ctx, q, held, h.PayoutHold); err != nil {
				return err
			}
		}
		if permission.Role(was.Role) != fields.Role {
			if err := q.DropStaffInvites(ctx, m.MerchantID); err != nil {
				return err
			}
			if err := h.Notices.Enqueue(ctx, q, held, notice.StaffRole, nil); err != nil {
				return err
			}
		}
		_, err = q.SetStaff(ctx, db.SetStaffParams{MerchantID: m.MerchantID, PersonID: in.ID, Role: string(fields.Role), RefundsADay: sum})
		return err
	}))
}

func (h *Staff) remove(ctx context.Context, m db.Merchant, in *struct {
	ID string `path:"id" doc:"Account of the person" example:"fedcba9876543210fedcba9876543210"`
}) (*httpapi.Out[httpapi.OK], error) {
	if !secret.IsMerchantID(in.ID) {
		return nil, httpapi.NotFound("person")
	}
	return httpapi.Done(access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		n, err := q.RemoveStaff(ctx, db.RemoveStaffParams{MerchantID: m.MerchantID, PersonID: in.ID})
		if err == nil && n == 0 {
			err = httpapi.NotFound("person")
		}
		if err != nil {
			return err
		}
		return q.DropStaffInvites(ctx, m.MerchantID)
	}))
}

// listedActions is the maximum number of actions on a page.
const listedActions = 100

type action struct {
	At        wire.Time       `json:"at" doc:"When it was begun"`
	PersonID  string          `json:"person_id" doc:"Account of the person" example:"fedcba9876543210fedcba9876543210"`
	Email     string          `json:"email" doc:"Address of that account; empty when it was deleted" example:"till@example.com"`
	Role      permission.Role `json:"role" doc:"What the person was then; empty for the merchant"`
	Operation string          `json:"operation" doc:"operationId of this document" example:"createRefund"`
	Path      string          `json:"path" doc:"Path of the request, which names what was changed" example:"/api/charges/ch_0123456789abcdef01234567/refunds"`
	Status    int32           `json:"status" doc:"HTTP status of the answer: 200 when it was done. 0: it is not known whether it was"`
}

type actionList struct {
	Actions    []action `json:"actions" doc:"The newest first"`
	NextCursor string   `json:"next_cursor,omitempty" doc:"Where the list goes on; only there when it does" example:"17"`
}

func (h *Staff) actions(ctx context.Context, m db.Merchant, in *struct{ httpapi.Query }) (*httpapi.Out[actionList], error) {
	limit, err := in.Limit(listedActions)
	if err != nil {
		return nil, err
	}
	before := int64(math.MaxInt64)
	if text, given, err := in.Single("cursor"); err != nil {
		return nil, err
	} else if given {
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before <= 0 {
			return nil, httpapi.BadRequest("cursor must be the next_cursor of a page")
		}
	}
	person, _, err := in.Single("person")
	if err != nil {
		return nil, err
	}
	rows, err := h.Store.ListActions(ctx, db.ListActionsParams{MerchantID: m.MerchantID, BeforeID: before, PersonID: person, Batch: limit + 1})
	if err != nil {
		return nil, err
	}
	list := actionList{Actions: make([]action, 0, len(rows))}
	for i, row := range rows {
		if i == int(limit) {
			list.NextCursor = strconv.FormatInt(rows[i-1].ID, 10)
			break
		}
		email, err := h.emailOf(row.PersonID, row.EmailSealed)
		if err != nil {
			return nil, err
		}
		list.Actions = append(list.Actions, action{wire.TimeOf(row.At), row.PersonID, email, permission.Role(row.Role), row.Operation, row.Path, row.Status})
	}
	return httpapi.With(list, nil)
}
