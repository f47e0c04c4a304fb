package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-chi/httprate"
	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/telemetry"
)

// Time limits of a connection, so that a slow client cannot hold it forever. A sweep has the
// slowest answer.
const (
	headerTime = 10 * time.Second
	readTime   = 30 * time.Second
	answerTime = 90 * time.Second
	idleTime   = 2 * time.Minute
	closeTime  = 15 * time.Second
	// leaveTime is how long a stopping process still accepts requests. It lets load balancers
	// notice that the process is not ready.
	leaveTime = 5 * time.Second
)

// leaving returns a context that ends pause after ctx. When ctx ends the service becomes not
// ready, but it still answers requests.
func leaving(ctx context.Context, ready *telemetry.Readiness, pause time.Duration) (serving context.Context, stop func()) {
	serving, stop = context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		ready.Leave()
		time.AfterFunc(pause, stop)
	})
	return serving, stop
}

// serveInternal answers on the internal listener.
func (b *base) serveInternal(ctx context.Context, group *errgroup.Group, handler http.Handler) {
	group.Go(func() error {
		return telemetry.Serve(ctx, b.cfg.InternalListen, telemetry.ForHosts(b.cfg.InternalHosts, handler))
	})
}

// runAll runs parts of a service until ctx ends.
func runAll(ctx context.Context, group *errgroup.Group, parts ...interface{ Run(ctx context.Context) }) {
	for _, part := range parts {
		group.Go(func() error { part.Run(ctx); return nil })
	}
}

// counter returns what makes the counters of rate limits; nil if there are no limits.
func (b *base) counter(ctx context.Context, group *errgroup.Group) func(bucket string) httprate.LimitCounter {
	if !b.cfg.RateLimits {
		return nil
	}
	return func(bucket string) httprate.LimitCounter {
		counter := ratelimit.New(b.store, bucket, b.log)
		runAll(ctx, group, counter)
		return counter
	}
}

// newServer returns a server with the time limits of a connection.
func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTime, ReadTimeout: readTime,
		WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: 32 << 10,
	}
}

// serve answers on the public listener until ctx ends, then completes open requests.
func serve(ctx context.Context, listen string, handler http.Handler) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listener %s: %w", listen, err)
	}
	return serveOn(ctx, listener, newServer(handler))
}

// serveOnion answers Tor on the onion listener, if there is one. It uses the same handler, so
// the answers are the same.
func serveOnion(ctx context.Context, listen string, handler http.Handler) error {
	if listen == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("onion listener %s: %w", listen, err)
	}
	server := newServer(handler)
	server.ConnContext = web.OnionContext
	return serveOn(ctx, web.ListenOnion(listener), server)
}

// serveOn is serve on an open listener, and closes the listener.
func serveOn(ctx context.Context, listener net.Listener, server *http.Server) error {
	return telemetry.ServeOn(ctx, listener, server, "listener "+listener.Addr().String(), closeTime)
}

const (
	// memoryLimit is the memory of the process, in bytes, from which the garbage collector
	// runs more often. Hashing a password leaves megabytes of garbage. GOMEMLIMIT overrides
	// it.
	memoryLimit = 200 << 20
	// heapGrowth is the growth of an API's heap between two collections, in percent of the
	// memory in use. Little memory is in use, so within the limit, memory is cheaper than a
	// sixth of the processor time. GOGC overrides it.
	heapGrowth = 400
)

// useMemory makes an API's process use more memory to save processor time.
func useMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
