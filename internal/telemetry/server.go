package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const shutdownTimeout = 5 * time.Second

// Livez answers 200: the process is up and serves requests.
func Livez(w http.ResponseWriter, _ *http.Request) {
	writeStatus(w, http.StatusOK, statusAnswer{Status: "ok"})
}

// NewMux serves /metrics, /livez and /readyz. The caller may add more, such as
// the payload codec.
func NewMux(m *Metrics, ready *Readiness, log *slog.Logger) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", Livez)
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError,
		ErrorLog:      slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}))
	return mux
}

// ForHosts lets requests through that name the listener by an address, as localhost, by a
// name without a dot, as services of a network have, or by one of the names. So no page of
// a site that leads its own name to the listener reads what it says (421).
func ForHosts(names []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
		if strings.Contains(host, ".") && net.ParseIP(host) == nil && !strings.HasSuffix(host, ".localhost") &&
			!slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, host) }) {
			http.Error(w, http.StatusText(http.StatusMisdirectedRequest), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Serve answers on the internal listener (host:port) until ctx ends, then lets
// requests finish for five seconds. It fails when it cannot listen.
func Serve(ctx context.Context, listen string, handler http.Handler) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("internal listener: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	return ServeOn(ctx, listener, server, "internal listener", shutdownTimeout)
}

// ServeOn answers on an open listener, which it closes, until ctx ends, then lets requests
// finish for a time. The name is in its error.
func ServeOn(ctx context.Context, listener net.Listener, server *http.Server, name string, finish time.Duration) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("%s: %w", name, err)
	case <-ctx.Done():
	}
	graceful, cancel := context.WithTimeout(context.WithoutCancel(ctx), finish)
	defer cancel()
	err := server.Shutdown(graceful)
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
