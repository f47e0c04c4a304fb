package accounts

import (
	"context"
	"math"
	"strconv"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

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
	rows, err := h.Store.ListActions(ctx, db.ListActionsParams{MerchantID: m.MerchantID, BeforeID: before, Batch: limit + 1})
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
