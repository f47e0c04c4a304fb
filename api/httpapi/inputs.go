package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// PlainID reports whether an identifier from a path has the form that all of them have: its
// prefix, then 1 to 64 lowercase letters and digits.
func PlainID(id, prefix string) bool {
	rest, ok := strings.CutPrefix(id, prefix)
	return ok && rest != "" && len(rest) <= 64 && strings.Trim(rest, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// inputsKey is the context key of a form's inputs.
type inputsKey struct{}

// TakeInputs reads a form body before Huma does, and refuses any other body. A missing body is a
// form without inputs.
func TakeInputs(errs Errors) Step {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(ctx)
		raw, media, err := readAll(w, r)
		var inputs url.Values
		if err == nil {
			inputs, err = parseInputs(raw, media)
		}
		if err != nil {
			errs.Fail(ctx, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(nil))
		next(huma.WithValue(ctx, inputsKey{}, inputs))
	}
}

func parseInputs(raw []byte, media string) (url.Values, error) {
	if len(raw) > 0 && media != FormType {
		return nil, BadRequest("Content-Type must be %s", FormType)
	}
	inputs, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, BadRequest("the form is not valid")
	}
	return inputs, nil
}

// InputsOf returns the inputs that TakeInputs has read.
func InputsOf(ctx context.Context) url.Values {
	inputs, _ := ctx.Value(inputsKey{}).(url.Values)
	return inputs
}
