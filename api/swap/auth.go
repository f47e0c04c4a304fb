package swap

import (
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/ratelimit"
)

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
		if err := a.Admit(w, r, a.Nobody(r), Read); err != nil {
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
