package auth

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/internal/postgres/db"
)

// maxActionPath is how much of a path is written down, in bytes.
const maxActionPath = 120

// NoteAction writes down what a person does to a shop: before it is done, and then how it
// was answered. What cannot be written down is not done. Of what was refused, and so
// changed nothing, a shop keeps the first hundred of a day: refusals cost nothing.
func (g *Guard) NoteAction(ctx huma.Context, next func(huma.Context)) {
	c := ctx.Context()
	p, is := PersonOf(c)
	if !is || ctx.Method() == http.MethodGet || ctx.Method() == http.MethodHead {
		next(ctx)
		return
	}
	u := ctx.URL()
	path := u.EscapedPath() // ASCII, so that any of it can be stored
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

// endAction writes down how an action was answered, or drops one that was refused beyond
// those that a shop keeps.
func (g *Guard) endAction(ctx context.Context, shop string, id int64, status int) error {
	if status >= http.StatusBadRequest && status < http.StatusInternalServerError {
		kept, err := g.limits.Take(ctx, limits.Refused, g.store.Queries, shop)
		if err != nil {
			return err
		}
		if !kept {
			return g.store.DropAction(ctx, id)
		}
	}
	return g.store.EndAction(ctx, db.EndActionParams{ID: id, Status: int32(status)})
}
