package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

// Observer logs and counts requests.
type Observer struct {
	Log *slog.Logger
	// Observed is called after each answered request, with its route pattern; nil if requests are
	// not counted.
	Observed func(route string, status int, took time.Duration)
	// Failed answers a request whose handler panicked, in the service's own way.
	Failed func(w http.ResponseWriter)
}

// partKey is the context key that marks a request as part of another request.
type partKey struct{}

// PartOf returns the context for a request that the service sends to itself to answer another
// one. Such a request is not observed, because the whole is.
func PartOf(whole context.Context) context.Context {
	return context.WithValue(whole, partKey{}, true)
}

// Observe gives each request an identifier, which its answer and all its log lines carry. It
// turns a panic into an answer. Paths are logged and counted as patterns, because the identifier
// of a charge or a trade is a secret.
func (o Observer) Observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		if r.Context().Value(partKey{}) != nil {
			defer func() { o.recovered(rec, r, recover()) }()
			next.ServeHTTP(rec, r)
			return
		}
		begun := time.Now()
		id := secret.NewID("")
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(telemetry.WithRequestID(r.Context(), id))
		defer func() {
			cause := recover()
			if isAbort(cause) {
				// An answer that breaks off midway counts as failed, even if its first status was a success.
				o.answered(r, http.StatusInternalServerError, time.Since(begun))
				panic(cause)
			}
			o.recovered(rec, r, cause)
			o.answered(r, rec.Status(), time.Since(begun))
		}()
		next.ServeHTTP(rec, r)
	})
}

func (o Observer) recovered(w middleware.WrapResponseWriter, r *http.Request, cause any) {
	if cause == nil {
		return
	}
	if isAbort(cause) {
		panic(cause)
	}
	o.Log.ErrorContext(r.Context(), "panic", "cause", cause, "stack", string(debug.Stack()))
	if w.Status() == 0 {
		o.Failed(w)
	}
}

// isAbort reports whether a panic was raised to break off an answer midway.
func isAbort(cause any) bool {
	err, ok := cause.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

func (o Observer) answered(r *http.Request, status int, took time.Duration) {
	route := routeOf(r)
	if o.Observed != nil {
		o.Observed(route, status, took)
	}
	o.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method),
		slog.String("route", route), slog.Int("status", status), slog.Duration("took", took))
}

// routeOf returns the route pattern that a request matched, or empty.
func routeOf(r *http.Request) string {
	if route := chi.RouteContext(r.Context()); route != nil {
		return route.RoutePattern()
	}
	return ""
}

// onlyByTLS makes browsers use only TLS for a year.
const onlyByTLS = "max-age=31536000"

// Headers sets the headers that every answer of a service has. publicURL is its base URL, and
// onionURL that of the onion mirror, without a trailing slash, or empty. A browser that came by
// TLS uses only TLS from then on. The onion service and the internal listener have no TLS.
func Headers(publicURL, onionURL string) func(http.Handler) http.Handler {
	// All answers share these slices. A handler that sets another value replaces the slice, and
	// none has room to append.
	noSniff, noReferrer, noStore := []string{"nosniff"}, []string{"no-referrer"}, []string{"no-store"}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h["X-Content-Type-Options"], h["Referrer-Policy"], h["Cache-Control"] = noSniff, noReferrer, noStore
			if HasTLS(r, publicURL) {
				h.Set("Strict-Transport-Security", onlyByTLS)
			}
			if to := r.URL.RequestURI(); onionURL != "" && strings.HasPrefix(to, "/") {
				h.Set("Onion-Location", onionURL+to)
			}
			next.ServeHTTP(w, r)
		})
	}
}
