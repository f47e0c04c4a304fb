package auth

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/postgres/db"
)

// maxActionPath is how much of a path is written down, in bytes.
const maxActionPath = 300

// NoteAction writes down what a person does to a shop: before it is done, and then how it
// was answered. What cannot be written down is not done.
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
	err = g.store.EndAction(context.WithoutCancel(c), db.EndActionParams{ID: id, Status: int32(status)})
	if err != nil {
		g.errors.Log.WarnContext(c, "how an action ended is not written down", slog.Int64("action", id), slog.Any("error", err))
	}
}
