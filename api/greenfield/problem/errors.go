package problem

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/merchant/answer"
)

// Errors is the place where errors of this surface become answers.
type Errors struct{ answer.Errors }

// Of is what a client is told of an error. What it does not know is logged and
// hidden, as answer.Errors does.
func (e Errors) Of(ctx context.Context, err error) *Problem {
	if known, ok := errors.AsType[*Problem](err); ok {
		return known
	}
	return Of(e.Errors.Of(ctx, err))
}

// Body is the body of a problem of our own API as this surface tells it. It is
// the Body of answer.Errors.
func Body(p *answer.Problem) (status int, body any) {
	told := Of(p)
	return told.Status, told
}

// Write answers a problem outside of Huma.
func Write(w http.ResponseWriter, p *answer.Problem) {
	(&answer.Problem{Status: p.Status, RetryAfter: p.RetryAfter}).WriteAs(w, Of(p))
}

func refusalSchema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[Refusal](), true, "")
}
