package swap

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// class is what a caller may do.
type class string

// The classes; the empty one is that of callers without a key.
const (
	anonymous class = ""
	affiliate class = "affiliate"
	partner   class = "partner"
)

// markupCap is the greatest markup of a class, in basis points.
func (c class) markupCap() int64 {
	switch c {
	case affiliate:
		return 300
	case partner:
		return 500
	default:
		return 0
	}
}

// caller is who sent a request.
type caller struct {
	class class
	// keyID is empty for callers without a key.
	keyID string
	// ip is the client's address.
	ip string
	// markupCap is in basis points.
	markupCap int64
}

// name tells callers apart where they are counted.
func (c caller) name() string {
	if c.keyID != "" {
		return "key " + c.keyID
	}
	return "ip " + c.ip
}

// keyRef is the key's ID, or nil without a key.
func (c caller) keyRef() *string {
	if c.keyID == "" {
		return nil
	}
	return &c.keyID
}

type contextKey int

const callerKey contextKey = iota

// identify finds out who calls. A key that is not known is refused, after it
// was counted like a call without one: keys cannot be tried without end.
func (a *app) identify(l limit) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, _ := humachi.Unwrap(ctx)
		c, err := a.callerOfKey(ctx.Context(), keyOf(r))
		c.ip = web.ClientIP(r, a.TrustedProxies)
		if err != nil {
			if a.admit(ctx, caller{ip: c.ip}, l) {
				a.fail(ctx, err)
			}
			return
		}
		if a.admit(ctx, c, l) {
			next(huma.WithValue(ctx, callerKey, c))
		}
	}
}

// keyOf is the key of a request, from either header.
func keyOf(r *http.Request) string {
	if key := r.Header.Get("API-Key"); key != "" {
		return key
	}
	return r.Header.Get("X-SWAP-API-Key")
}

func (a *app) callerOfKey(ctx context.Context, key string) (caller, error) {
	if key == "" {
		return caller{}, nil
	}
	unknown := refused(http.StatusUnauthorized, codeUnauthorized, "the API key is not valid")
	if !secret.IsSwapKey(key) {
		return caller{}, unknown
	}
	hash := secret.HashAPIKey(key)
	found, err := a.Store.GetSwapKeyByHash(ctx, hash)
	if postgres.IsNotFound(err) || (err == nil && !secret.Equal(hash, found.KeyHash)) {
		return caller{}, unknown
	}
	if err != nil {
		return caller{}, err
	}
	return callerOfRow(found), nil
}

func callerOfRow(row db.SwapKey) caller {
	c := caller{class: class(row.Class), keyID: row.ID, markupCap: class(row.Class).markupCap()}
	if row.MarkupCap != nil {
		c.markupCap = int64(*row.MarkupCap)
	}
	return c
}
