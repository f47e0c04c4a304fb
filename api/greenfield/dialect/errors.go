package dialect

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
)

// Errors converts the errors of this surface to answers.
type Errors struct{ httpapi.Errors }

// Of returns the answer to an error. Unknown errors are logged and hidden, as in
// httpapi.Errors.
func (e Errors) Of(ctx context.Context, err error) *Problem {
	if known, ok := errors.AsType[*Problem](err); ok {
		return known
	}
	return Of(e.Errors.Of(ctx, err))
}

// Body returns the status and body for a problem of the merchants' API in this surface's
// format. It is the Body of httpapi.Errors.
func Body(p *httpapi.Problem) (status int, body any) {
	told := Of(p)
	return told.Status, told
}

// Write answers a problem outside of Huma.
func Write(w http.ResponseWriter, p *httpapi.Problem) {
	(&httpapi.Problem{Status: p.Status, RetryAfter: p.RetryAfter}).WriteAs(w, Of(p))
}

func refusalSchema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[Refusal](), true, "")
}
