package swap

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/secret"
)

// Errors of Caller.
var (
	// ErrUnknownKey is returned for a key that is unknown or was revoked.
	ErrUnknownKey = errors.New("the API key is not valid")
	// ErrTooManyKeys is returned for a key that is not looked up, because too many unknown
	// keys came from the same address or circuit.
	ErrTooManyKeys = errors.New("too many keys that are not valid came from this address, try again later")
	// ErrSeveralKeys is returned for a request with different keys, because its caller is
	// ambiguous.
	ErrSeveralKeys = errors.New("different API keys are given")
)

// Class determines what a caller may do.
type Class string

// The classes. The empty one is for callers without a key.
const (
	Anonymous Class = ""
	Affiliate Class = "affiliate"
	Partner   Class = "partner"
)

// MarkupCap returns the maximum markup of a class, in basis points.
func (c Class) MarkupCap() int64 {
	switch c {
	case Affiliate:
		return 300
	case Partner:
		return 500
	default:
		return 0
	}
}

// Caller is the sender of a request.
type Caller struct {
	Class Class
	// KeyID is empty for callers without a key.
	KeyID string
	// MarkupCap is in basis points.
	MarkupCap int64

	// ip is the client's address, or its Tor circuit.
	ip string
	// onion is set if the request came through Tor.
	onion bool
}

// KeyRef returns the key's ID, or nil without a key.
func (c Caller) KeyRef() *string {
	if c.KeyID == "" {
		return nil
	}
	return &c.KeyID
}

// The headers with keys, API-Key and X-SWAP-API-Key, in the form in which a server stores
// their names.
const keyHeader, swapKeyHeader = "Api-Key", "X-Swap-Api-Key"

// KeysOf returns the distinct keys of a request, from both headers.
func KeysOf(r *http.Request) []string {
	given := slices.Concat(r.Header[keyHeader], r.Header[swapKeyHeader])
	if len(given) == 0 {
		return nil
	}
	return Distinct(given)
}

// Distinct returns the distinct texts that are not empty.
func Distinct(texts []string) []string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	slices.Sort(texts)
	return slices.Compact(texts)
}

// AnonymousCaller returns the request's caller without a key, even if the request has one.
func (f *Front) AnonymousCaller(r *http.Request) Caller {
	_, onion := web.Circuit(r)
	return Caller{ip: web.ClientIP(r, f.TrustedProxies), onion: onion}
}

// Caller identifies the sender of a request by its key. It returns ErrUnknownKey for an
// unknown key, ErrTooManyKeys for a key that is not looked up, and ErrSeveralKeys for more
// than one key. Without a key, and with an error, it returns a caller without a key.
func (f *Front) Caller(ctx context.Context, r *http.Request, keys []string) (Caller, error) {
	anonymous := f.AnonymousCaller(r)
	switch len(keys) {
	case 0:
		return anonymous, nil
	case 1:
	default:
		return anonymous, ErrSeveralKeys
	}
	key := keys[0]
	if !secret.IsSwapKey(key) {
		return anonymous, ErrUnknownKey
	}
	if f.keysTried.Refuses(anonymous.ip, key) {
		return anonymous, ErrTooManyKeys
	}
	hash := secret.HashAPIKey(key)
	found, err := f.Store.GetSwapKeyByHash(ctx, hash)
	if postgres.IsNotFound(err) || (err == nil && !secret.Equal(hash, found.KeyHash)) {
		f.keysTried.Failed(anonymous.ip)
		return anonymous, ErrUnknownKey
	}
	if err != nil {
		return anonymous, err
	}
	f.keysTried.Good(key)
	f.recordUse(ctx, found)
	c := callerOfRow(found)
	c.ip, c.onion = anonymous.ip, anonymous.onion
	return c, nil
}

func callerOfRow(row db.SwapKey) Caller {
	c := Caller{Class: Class(row.Class), KeyID: row.ID, MarkupCap: Class(row.Class).MarkupCap()}
	if row.MarkupCap != nil {
		c.MarkupCap = int64(*row.MarkupCap)
	}
	return c
}

// useRecorded is the maximum age of a key's stored last use.
const useRecorded = 24 * time.Hour

// recordUse stores the last use of a key, to the day, because unused keys are removed. If the
// write fails, the next request repeats it.
func (f *Front) recordUse(ctx context.Context, key db.SwapKey) {
	now := f.Now()
	if now.Sub(key.LastUsedAt) < useRecorded {
		return
	}
	if err := f.Store.RecordSwapKeyUse(ctx, db.RecordSwapKeyUseParams{ID: key.ID, Now: now}); err != nil {
		f.Log.WarnContext(ctx, "the use of a key is not noted", "key", key.ID, "error", err)
	}
}

// ClientCode identifies callers for the cap on their unpaid reservations; nil if the cap is
// off. Partners are counted by key. Affiliate keys cost nothing, so affiliates are counted
// like callers without a key: by address. All callers who come through Tor are counted as one,
// because a new circuit costs nothing either and reserved inventory is not available to other
// callers.
func (f *Front) ClientCode(c Caller) []byte {
	switch {
	case f.limiters == nil:
		return nil
	case c.Class == Partner:
		return f.Index.Client("key " + c.KeyID)
	case c.onion:
		return f.Index.Client(web.Together)
	default:
		return f.Index.Client("ip " + c.ip)
	}
}

type contextKey int

const callerKey contextKey = iota

// identify identifies the caller. An unknown key is refused after it was counted like a
// request without a key, so that keys cannot be guessed without limit. HEAD counts as a read
// because it never creates anything.
func (a *app) identify(kind Kind) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(ctx)
		c, err := a.Caller(ctx.Context(), r, KeysOf(r))
		counted := kind
		if r.Method == http.MethodHead {
			counted = Read
		}
		if admitErr := a.Admit(w, r, c, counted); admitErr != nil {
			a.errors.Fail(ctx, admission(admitErr))
			return
		}
		if err != nil {
			a.errors.Fail(ctx, wrongKey(err))
			return
		}
		next(huma.WithValue(ctx, callerKey, c))
	}
}

// countRead counts a request that needs no key as a read of its client.
func (a *app) countRead(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.Admit(w, r, a.AnonymousCaller(r), Read); err != nil {
			a.errors.Write(w, admission(err))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wrongKey returns the answer to a key error of Caller.
func wrongKey(err error) error {
	switch {
	case errors.Is(err, ErrUnknownKey):
		return refused(http.StatusUnauthorized, codeUnauthorized, err.Error())
	case errors.Is(err, ErrTooManyKeys):
		return &httpapi.Problem{
			Code: codeRateLimit, Text: err.Error(), Status: http.StatusTooManyRequests, RetryAfter: ratelimit.MadeUpWindow,
		}
	case errors.Is(err, ErrSeveralKeys):
		return badParameter("API-Key", "is given with different values")
	}
	return err
}

// admission returns the answer to a rate-limit error.
func admission(err error) *httpapi.Problem {
	if errors.Is(err, ErrTooMany) {
		return &httpapi.Problem{Code: codeRateLimit, Text: err.Error(), Status: http.StatusTooManyRequests}
	}
	return internalError()
}
