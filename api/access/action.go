package access

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/postgres/db"
)

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
