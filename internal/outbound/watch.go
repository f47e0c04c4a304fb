package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"time"
)

const (
	// watchEvery is the pause between two probes of the proxy.
	watchEvery = 15 * time.Second
	// greetTime is the time within which the proxy must answer a greeting.
	greetTime = 5 * time.Second
)

// Watch probes the SOCKS5 proxy at intervals, and logs plainly when it does not
// answer, from the first probe at the start on. It makes no connection through
// the proxy: an answer does not mean that the proxy reaches any target.
type Watch struct {
	// Address is host:port; empty when no proxy is configured.
	Address string
	Log     *slog.Logger
	// Probed is called with the result of each probe; nil calls nothing.
	Probed func(up bool)

	// down reports whether the last probe failed.
	down atomic.Bool
}

// Run probes until ctx ends. Without a proxy it only logs that there is none.
func (w *Watch) Run(ctx context.Context) {
	if w.Address == "" {
		w.Log.InfoContext(ctx, "no SOCKS5 proxy is configured: webhooks with use_tor, onion addresses and proxied calls fail")
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		w.look(ctx, first)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Up reports whether the proxy answered the last probe. It returns true if
// there is no proxy, and before the first probe.
func (w *Watch) Up() bool { return !w.down.Load() }

// look probes once and logs changes. The first time it also logs that the proxy
// answers.
func (w *Watch) look(ctx context.Context, first bool) {
	err := Greet(ctx, w.Address)
	if ctx.Err() != nil {
		return // the service is stopping: the result is unknown
	}
	was := w.down.Swap(err != nil)
	switch {
	case err != nil && (first || !was):
		w.Log.ErrorContext(ctx, "the SOCKS5 proxy is down: webhooks with use_tor and proxied calls fail until it answers",
			"proxy", w.Address, "error", err)
	case err == nil && (first || was):
		w.Log.InfoContext(ctx, "the SOCKS5 proxy answers", "proxy", w.Address)
	}
	if w.Probed != nil {
		w.Probed(err == nil)
	}
}

// Greet greets a SOCKS5 proxy as a call would, offers credentials and closes
// the connection. It returns ErrProxyDown if the proxy does not accept that
// within five seconds.
func Greet(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, greetTime)
	defer cancel()
	if err := greet(ctx, address); err != nil {
		return fmt.Errorf("%w: %w", ErrProxyDown, err)
	}
	return nil
}

func greet(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	const version, methods, credentials = 5, 1, 2
	if _, err := conn.Write([]byte{version, methods, credentials}); err != nil {
		return err
	}
	var answer [2]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		return err
	}
	if answer != [2]byte{version, credentials} {
		return errors.New("it is no SOCKS5 proxy that takes credentials")
	}
	return nil
}
