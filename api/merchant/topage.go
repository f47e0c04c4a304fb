package merchant

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/pages"
)

// formAnswer is JSON for programs, and for an HTML form the way to a page.
type formAnswer[T any] struct {
	Status   int
	Location string `header:"Location"`
	Body     any
}

// toPage answers a form with the page of a charge, anything else with JSON.
func toPage[T any](ctx context.Context, chargeID string, v T) *formAnswer[T] {
	if sent, ok := formOf(ctx); ok {
		return &formAnswer[T]{Status: http.StatusSeeOther, Location: pages.PathOf(chargeID, sent.lang), Body: []byte(nil)}
	}
	return &formAnswer[T]{Status: http.StatusOK, Body: v}
}
