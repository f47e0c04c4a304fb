package service

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
)

// FormAnswer is JSON for a program, and a redirect to a page for an HTML form.
type FormAnswer[T any] struct {
	Status   int
	Location string `header:"Location"`
	Body     any
}

// ToPage redirects a form to the page of a charge, and answers any other request with JSON.
func ToPage[T any](ctx context.Context, chargeID string, v T) *FormAnswer[T] {
	if sent, ok := httpapi.FormOf(ctx); ok {
		return &FormAnswer[T]{Status: http.StatusSeeOther, Location: pages.PathOf(chargeID, sent.Lang), Body: []byte(nil)}
	}
	return &FormAnswer[T]{Status: http.StatusOK, Body: v}
}
