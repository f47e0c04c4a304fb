package web

import (
	"context"
	"net/http"
)

// throughInternal is the context key that marks requests to the internal listener.
type throughInternal struct{}

// Internal marks the requests that handler gets as requests to the internal listener, which is
// not public.
func Internal(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), throughInternal{}, true)))
	})
}

// IsInternal reports whether a request came to the internal listener.
func IsInternal(ctx context.Context) bool { return ctx.Value(throughInternal{}) != nil }

// IsOnion reports whether a request came to the onion listener.
func IsOnion(ctx context.Context) bool { return ctx.Value(throughOnion{}) != nil }
