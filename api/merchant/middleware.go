package merchant

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

// answerRecorder remembers the status of an answer.
type answerRecorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the first status.
func (w *answerRecorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the status that an answer without one has.
func (w *answerRecorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets deadlines reach the connection.
func (w *answerRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe gives each request an identifier, which the answer carries and every
// log line of it, and turns a panic into an answer. Paths are logged and
// counted as patterns: an identifier of a charge is a secret.
func (a *app) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		id := secret.NewID("")
		w.Header().Set("X-Request-Id", id)
		rec := &answerRecorder{ResponseWriter: w}
		r = r.WithContext(telemetry.WithRequestID(r.Context(), id))
		defer func() {
			a.recovered(rec, r, recover())
			a.answered(r, rec.status, time.Since(begun))
		}()
		next.ServeHTTP(rec, r)
	})
}

func (a *app) recovered(w *answerRecorder, r *http.Request, cause any) {
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	a.Log.ErrorContext(r.Context(), "panic", "cause", cause, "stack", string(debug.Stack()))
	if w.status == 0 {
		writeProblem(w, unavailable("internal error", retrySoon))
	}
}

func (a *app) answered(r *http.Request, status int, took time.Duration) {
	route := routeOf(r)
	if a.Observed != nil {
		a.Observed(route, status, took)
	}
	a.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method),
		slog.String("route", route), slog.Int("status", status), slog.Duration("took", took))
}

// routeOf is the pattern that a request matched, or empty.
func routeOf(r *http.Request) string {
	if route := chi.RouteContext(r.Context()); route != nil {
		return route.RoutePattern()
	}
	return ""
}

// headers sets what every answer carries.
func (a *app) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if to := r.URL.RequestURI(); a.OnionURL != "" && strings.HasPrefix(to, "/") {
			h.Set("Onion-Location", a.OnionURL+to)
		}
		next.ServeHTTP(w, r)
	})
}

// unversioned serves /api/v1/… as what it is an alias of, /api/….
func unversioned(next http.Handler) http.Handler {
	const alias, prefix = "/api/v1/", "/api/"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, alias); ok {
			copied := *r
			copied.URL = new(url.URL)
			*copied.URL = *r.URL
			copied.URL.Path = prefix + rest
			if raw, ok := strings.CutPrefix(r.URL.RawPath, alias); ok {
				copied.URL.RawPath = prefix + raw
			} else {
				copied.URL.RawPath = ""
			}
			r = &copied
		}
		next.ServeHTTP(w, r)
	})
}
