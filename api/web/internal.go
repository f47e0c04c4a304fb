package web

import (
	"context"
	"net/http"
)

// throughInternal marks the context of requests to the internal listener.
type throughInternal struct{}

// Internal marks the requests that a handler gets as those of the internal
// listener, which is not public.
func Internal(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), throughInternal{}, true)))
	})
}

// IsInternal says whether a request came to the internal listener.
func IsInternal(ctx context.Context) bool { return ctx.Value(throughInternal{}) != nil }

// IsOnion says whether a request came to the onion listener.
func IsOnion(ctx context.Context) bool { return ctx.Value(throughOnion{}) != nil }
