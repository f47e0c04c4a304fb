package httpapi

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
	// MaxBody is the maximum size of a body in bytes (contract: 10 KB).
	MaxBody = 10 * 1024
	// bodyTime is the maximum time that a client may take to send its body.
	bodyTime = 10 * time.Second
)

// Body is a JSON body that Huma documents as a T but does not decode, so that numbers stay exact
// and this package words the refusals.
type Body[T any] struct {
	raw   []byte
	value T
}

// sentBody is a Body of any type.
type sentBody interface {
	Keep(raw []byte)
	Decode() error
}

func withBody(body any, do func(sentBody) error) error {
	b, is := body.(sentBody)
	if !is {
		return fmt.Errorf("body of type %T", body)
	}
	return do(b)
}

// DecodeBody decodes a pointer to a Body of any type.
func DecodeBody(body any) error { return withBody(body, sentBody.Decode) }

// Schema describes the body as a T.
func (b *Body[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Keep copies the body as it arrived.
func (b *Body[T]) Keep(raw []byte) { b.raw = bytes.Clone(raw) }

// Value returns the decoded body.
func (b *Body[T]) Value() T { return b.value }

// Decode decodes the body strictly: one JSON object in valid UTF-8, with names in exact case and
// at most once, and values of the right type. It ignores unknown names.
func (b *Body[T]) Decode() error {
	if !utf8.Valid(b.raw) {
		return BadRequest("the body is not valid UTF-8")
	}
	if trimmed := bytes.TrimLeft(b.raw, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return BadRequest("the body must be a JSON object")
	}
	if err := json.Unmarshal(b.raw, &b.value); err != nil {
		return decodeProblem(err)
	}
	return nil
}

// decodeProblem returns a problem that names the wrong field, but never its value.
func decodeProblem(err error) error {
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) || wrong.JSONPointer == "" {
		return BadRequest("the body is not valid JSON")
	}
	field := strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", ".")
	if wrong.JSONKind == '"' && errors.Is(err, money.ErrSyntax) {
		return wrongField(field, field+" must be a JSON number, without quotation marks")
	}
	for _, known := range []error{money.ErrSyntax, money.ErrRange, money.ErrDecimals} {
		if errors.Is(err, known) {
			return wrongField(field, field+": "+known.Error())
		}
	}
	return wrongField(field, field+" has the wrong type or form")
}

func wrongField(field, text string) error {
	return &Problem{Text: text, Status: http.StatusBadRequest, Field: field}
}

// Format makes Huma pass on bodies undecoded and write exact JSON.
func Format() huma.Format {
	return huma.Format{
		Marshal: Write,
		Unmarshal: func(data []byte, v any) error {
			return withBody(v, func(b sentBody) error {
				b.Keep(data)
				return nil
			})
		},
	}
}

// TakeBody reads the body before Huma does. It refuses a body that is not JSON or is too large.
// If the operation takes an HTML form too, TakeBody converts the form to JSON. The answer names
// the fields that are not in names, unless that is nil.
func TakeBody(errs Errors, f *Form, names Names) Step {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(ctx)
		raw, media, err := readBody(w, r)
		switch {
		case err != nil:
		case media == FormType && f != nil:
			raw, err = f.object(raw)
			ctx = huma.WithValue(ctx, formKey{}, SentForm{Lang: r.URL.Query().Get("lang")})
		case media != JSON:
			err = BadRequest("Content-Type must be application/json")
		}
		if err != nil {
			errs.Fail(ctx, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
		r.Header.Set("Content-Type", JSON)
		if names != nil {
			ctx = withIgnored(ctx, names.missingFrom(raw))
		}
		next(ctx)
	}
}

// readBody returns the body and its media type, which is empty if there is none. It refuses a
// body that is empty or too large.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, string, error) {
	raw, err := readUpToLimit(w, r)
	switch {
	case err != nil:
		return nil, "", err
	case len(raw) > MaxBody:
		return nil, "", BadRequest("the body is larger than %d bytes", MaxBody)
	case len(raw) == 0:
		return nil, "", BadRequest("a JSON body is required")
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		media = ""
	}
	return raw, media, nil
}

// readUpToLimit reads a body until it exceeds MaxBody. The read deadline stays set for a body
// that is late or too large, so that discarding the rest of it takes no longer than bodyTime.
func readUpToLimit(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // not every listener has deadlines
	raw, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return nil, BadRequest("the body could not be read")
	}
	if len(raw) <= MaxBody {
		_ = control.SetReadDeadline(time.Time{})
	}
	return raw, nil
}

// AwaitBody waits until the body has arrived, up to the readable size. It returns 400 if the
// body does not arrive. A client may send its body late, and its key may be revoked meanwhile: a
// credential that is checked after AwaitBody is therefore valid for the whole request. Later
// reads of the body return the same bytes.
func AwaitBody(ctx huma.Context) error {
	r, w := humachi.Unwrap(ctx)
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	raw, err := readUpToLimit(w, r)
	r.Body = io.NopCloser(bytes.NewReader(raw))
	return err
}

// WithoutReadDeadline lets a request wait long for its answer. While the server watches for a
// client that disconnects, its read deadline keeps running and would end the request's context.
func WithoutReadDeadline(ctx huma.Context, next func(huma.Context)) {
	_, w := humachi.Unwrap(ctx)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // not every listener has deadlines
	next(ctx)
}
