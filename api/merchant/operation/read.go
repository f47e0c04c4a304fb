package operation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/conditional"

	"github.com/durapay/durapay/api/merchant/answer"
)

// tagged is the answer of a public read: JSON that is already written, and the tag
// that it goes by.
type tagged struct {
	Status       int
	ContentType  string `header:"Content-Type"`
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         any
}

// revalidate lets a client keep an answer, and has it ask each time whether that
// still holds.
const revalidate = "private, no-cache"

// tagBytes is how much of the digest of an answer its tag has.
const tagBytes = 16

// matchKey is where the tags that a client holds are in the context.
type matchKey struct{}

// PublicRead registers a GET that needs no credential. Its answer carries an ETag,
// which is a digest of its bytes; a client that sends it back in If-None-Match is
// answered 304, without a body, while the answer would be the same. The header is
// no parameter of the document, since HTTP has it for every GET.
func PublicRead[I, T any](api API, r Route, h func(context.Context, *I) (T, error)) {
	r.Text += " The answer has an `ETag`: a client that sends it back in `If-None-Match` gets 304 while nothing has changed."
	Public(api, r, func(ctx context.Context, in *I) (*tagged, error) {
		v, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		return tag(ctx, v)
	}, holds)
	op := api.OpenAPI().Paths[r.Path].Get
	Describe[T](api, op, answer.JSON)
	etag := &huma.Param{Description: "Digest of the answer", Schema: &huma.Schema{Type: huma.TypeString}}
	op.Responses["200"].Headers = map[string]*huma.Param{"ETag": etag}
	op.Responses["304"] = &huma.Response{Description: "The client holds this answer already", Headers: map[string]*huma.Param{"ETag": etag}}
}

// holds notes which answers the client says that it holds.
func holds(ctx huma.Context, next func(huma.Context)) {
	if tags := ctx.Header("If-None-Match"); tags != "" {
		ctx = huma.WithValue(ctx, matchKey{}, tags)
	}
	next(ctx)
}

// tag writes an answer and tags it; the body is left out where the client holds it.
func tag(ctx context.Context, v any) (*tagged, error) {
	var body bytes.Buffer
	if err := answer.Write(&body, v); err != nil {
		return nil, err
	}
	digest := sha256.Sum256(body.Bytes())
	name := base64.RawURLEncoding.EncodeToString(digest[:tagBytes])
	out := &tagged{http.StatusOK, answer.JSON, `"` + name + `"`, revalidate, body.Bytes()}
	held, asks := ctx.Value(matchKey{}).(string)
	if !asks {
		return out, nil
	}
	asked := conditional.Params{}
	for one := range strings.SplitSeq(held, ",") {
		asked.IfNoneMatch = append(asked.IfNoneMatch, strings.TrimSpace(one))
	}
	if asked.PreconditionFailed(name, time.Time{}) != nil {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, nil
}
