package merchant

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-json-experiment/json"

	"github.com/durapay/durapay/internal/money"
)

const (
	// maxBody is the largest body in bytes (contract: 10 KB).
	maxBody = 10 * 1024
	// bodyTime bounds how long a client may take to send its body.
	bodyTime = 10 * time.Second
)

// body is a JSON body that Huma describes as a T and hands over unread, so
// that numbers stay exact and refusals are worded here.
type body[T any] struct{ raw []byte }

// Schema describes the body as a T.
func (b *body[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

func (b *body[T]) keep(raw []byte) { b.raw = bytes.Clone(raw) }

// read decodes the body strictly: one JSON object in valid UTF-8, names in
// their exact case and at most once, values of the right type. Unknown names
// are ignored.
func (b *body[T]) read() (T, error) {
	var v T
	if !utf8.Valid(b.raw) {
		return v, badRequest("the body is not valid UTF-8")
	}
	if trimmed := bytes.TrimLeft(b.raw, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return v, badRequest("the body must be a JSON object")
	}
	if err := json.Unmarshal(b.raw, &v); err != nil {
		return v, decodeProblem(err)
	}
	return v, nil
}

// decodeProblem names the field that is wrong, never its value.
func decodeProblem(err error) error {
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) || wrong.JSONPointer == "" {
		return badRequest("the body is not valid JSON")
	}
	field := strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", ".")
	for _, known := range []error{money.ErrSyntax, money.ErrRange, money.ErrDecimals} {
		if errors.Is(err, known) {
			return badRequest("%s: %s", field, known)
		}
	}
	return badRequest("%s has the wrong type or form", field)
}

// unreadBody is a body that wants its bytes as they came.
type unreadBody interface{ keep(raw []byte) }

// jsonFormat lets Huma hand bodies over unread and write exact JSON.
func jsonFormat() huma.Format {
	return huma.Format{
		Marshal: writeJSON,
		Unmarshal: func(data []byte, v any) error {
			target, ok := v.(unreadBody)
			if !ok {
				return fmt.Errorf("body of type %T", v)
			}
			target.keep(data)
			return nil
		},
	}
}

// takeBody reads the body before Huma does and refuses what is not JSON of an
// allowed size. Where an HTML form is taken as well, it goes on as JSON.
func takeBody(errs Errors, f *form) step {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(ctx)
		raw, media, err := readBody(w, r)
		switch {
		case err != nil:
		case media == formType && f != nil:
			raw, err = f.object(raw)
			ctx = huma.WithValue(ctx, formKey{}, sentForm{lang: r.URL.Query().Get("lang")})
		case media != jsonType:
			err = badRequest("Content-Type must be application/json")
		}
		if err != nil {
			errs.Fail(ctx, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
		r.Header.Set("Content-Type", jsonType)
		next(ctx)
	}
}

// readBody returns the body and its media type, empty for none.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, string, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // not every listener has deadlines
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	_ = control.SetReadDeadline(time.Time{})
	switch {
	case err != nil:
		return nil, "", badRequest("the body could not be read")
	case len(raw) > maxBody:
		return nil, "", badRequest("the body is larger than %d bytes", maxBody)
	case len(raw) == 0:
		return nil, "", badRequest("a JSON body is required")
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		media = ""
	}
	return raw, media, nil
}

// withoutReadDeadline lets a request wait for its answer. The server's read
// deadline goes on running while it watches for a client that leaves, and
// would end the request's context.
func withoutReadDeadline(ctx huma.Context, next func(huma.Context)) {
	_, w := humachi.Unwrap(ctx)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // not every listener has deadlines
	next(ctx)
}
