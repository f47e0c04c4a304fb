package accounts

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// maxNote is the maximum length of an invite's note in characters.
const maxNote = 100

// JoinPath is the path of an invite's link, before its token.
const JoinPath = "/join/"

type invite struct {
	ID          string          `json:"id" doc:"Identifier of the invite" example:"si_0123456789abcdef01234567"`
	Note        string          `json:"note" doc:"Whom the merchant means" example:"Saturdays"`
	Role        permission.Role `json:"role" enum:"owner,accountant,cashier,support" doc:"What the person will be"`
	RefundsADay money.Piconero  `json:"refunds_a_day_xmr" doc:"As that of the staff"`
	ExpiresAt   wire.Time       `json:"expires_at" doc:"Until when the link is good"`
}

type newInvite struct {
	Role        permission.Role `json:"role" required:"true" enum:"owner,accountant,cashier,support" doc:"What the person will be, as with another role"`
	RefundsADay *money.Piconero `json:"refunds_a_day_xmr,omitempty" doc:"For support alone: refunds that the person makes on one day (UTC) need no approval up to this sum. 0 by default"`
	Note        string          `json:"note,omitempty" maxLength:"100" doc:"Whom the merchant means; nobody else sees it" example:"Saturdays"`
	TOTPCode    *string         `json:"totp_code,omitempty" doc:"Six digits; required when two-factor authentication is on" example:"123456"`
}

type madeInvite struct {
	Link   string `json:"link" doc:"For the person, who logs in and joins with it; shown only now" example:"https://pay.example.com/join/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"`
	Invite invite `json:"invite"`
}

func (h *Staff) invite(ctx context.Context, m db.Merchant, in *struct {
	Body httpapi.Body[newInvite]
}) (*httpapi.Out[madeInvite], error) {
	fields := in.Body.Value()
	sum, err := checkRole(fields.Role, fields.RefundsADay)
	if err != nil {
		return nil, err
	}
	note := strings.TrimSpace(fields.Note)
	if utf8.RuneCountInString(note) > maxNote || strings.ContainsFunc(note, unicode.IsControl) {
		return nil, httpapi.BadRequest("note must have at most %d characters", maxNote)
	}
	token, now := secret.NewSecret(), h.Clock()
	row := db.InsertStaffInviteParams{
		ID: secret.NewID("si_"), MerchantID: m.MerchantID, Role: string(fields.Role), RefundsADay: sum, Note: note,
		TokenHash: secret.HashAPIKey(token), CreatedAt: now, ExpiresAt: now.Add(permission.InviteLife),
	}
	err = h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error {
		n, err := q.CountStaff(ctx, db.CountStaffParams{MerchantID: m.MerchantID, Now: now})
		if err != nil {
			return err
		}
		if n >= permission.MostStaff {
			return httpapi.BadRequest("a shop has at most %d people and invites: remove some", permission.MostStaff)
		}
		if err := q.InsertStaffInvite(ctx, row); err != nil {
			return err
		}
		if sum > 0 {
			if _, err := h.Notices.Loosened(ctx, q, held, h.PayoutHold); err != nil {
				return err
			}
		}
		return h.Notices.Enqueue(ctx, q, held, notice.StaffInvited, nil)
	})
	return httpapi.With(madeInvite{
		h.PublicURL + JoinPath + token, invite{row.ID, note, fields.Role, sum, wire.TimeOf(row.ExpiresAt)},
	}, err)
}

func (h *Staff) revoke(ctx context.Context, m db.Merchant, in *struct {
	ID string `path:"id" doc:"Identifier of the invite" example:"si_0123456789abcdef01234567"`
}) (*httpapi.Out[httpapi.OK], error) {
	if !httpapi.PlainID(in.ID, "si_") {
		return nil, httpapi.NotFound("invite")
	}
	return httpapi.Done(access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		n, err := q.DropStaffInvite(ctx, db.DropStaffInviteParams{ID: in.ID, MerchantID: m.MerchantID})
		if err == nil && n == 0 {
			err = httpapi.NotFound("invite")
		}
		return err
	}))
}
