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

	"github.com/durapay/durapay/api/httpapi"
)

// tagged is the answer of a public read: JSON that is already encoded, and its tag.
type tagged struct {
	Status       int
	ContentType  string `header:"Content-Type"`
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         any
}

// revalidate lets a client cache an answer, but the client must check each time whether the
// answer is still current.
const revalidate = "private, no-cache"

// tagBytes is the length of a tag: the first bytes of the answer's digest.
const tagBytes = 16

// matchKey is the context key of the tags that a client sent in If-None-Match.
type matchKey struct{}

// PublicRead registers a GET that needs no credential. Its answer has an ETag, a digest of its
// bytes. A client that sends the ETag back in If-None-Match gets 304 without a body while the
// answer is unchanged. The header is not documented as a parameter, because HTTP defines it for
// every GET.
func PublicRead[I, T any](api API, r Route, h func(context.Context, *I) (T, error)) {
	Public(api, r, func(ctx context.Context, in *I) (*tagged, error) {
		v, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		return tag(ctx, v)
	}, holds)
	op := Describe[T](api, r.At, http.StatusOK, httpapi.JSON)
	op.Description += " The answer has an `ETag`: a client that sends it back in `If-None-Match` gets 304 while nothing has changed."
	etag := &huma.Param{Description: "Digest of the answer", Schema: &huma.Schema{Type: huma.TypeString}}
	op.Responses["200"].Headers = map[string]*huma.Param{"ETag": etag}
	op.Responses["304"] = &huma.Response{Description: "The client holds this answer already", Headers: map[string]*huma.Param{"ETag": etag}}
}

// holds stores the tags that the client sent in If-None-Match.
func holds(ctx huma.Context, next func(huma.Context)) {
	if tags := ctx.Header("If-None-Match"); tags != "" {
		ctx = huma.WithValue(ctx, matchKey{}, tags)
	}
	next(ctx)
}

// tag encodes an answer and computes its tag. It leaves the body out if the client already has
// this answer.
func tag(ctx context.Context, v any) (*tagged, error) {
	var body bytes.Buffer
	if err := httpapi.Write(&body, v); err != nil {
		return nil, err
	}
	digest := sha256.Sum256(body.Bytes())
	name := base64.RawURLEncoding.EncodeToString(digest[:tagBytes])
	out := &tagged{http.StatusOK, httpapi.JSON, `"` + name + `"`, revalidate, body.Bytes()}
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
