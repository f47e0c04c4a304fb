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
	// watchEvery is the pause between two looks at the proxy.
	watchEvery = 15 * time.Second
	// greetTime is how long the proxy may take to say what it speaks.
	greetTime = 5 * time.Second
)

// Watch asks the SOCKS5 proxy now and then whether it is there, and says
// plainly in the log when it is not, from the first look at the start on. It
// makes no connection through the proxy: that it answers does not mean that
// it reaches anything.
type Watch struct {
	// Address is host:port; empty when no proxy is configured.
	Address string
	Log     *slog.Logger
	// Probed is told of each look; nil when nobody counts.
	Probed func(up bool)

	// down says that the last look found nothing.
	down atomic.Bool
}

// Run looks until ctx ends. Without a proxy it says so, once.
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

// Up says whether the proxy answered when it was last asked; true where there
// is none, or nobody has asked yet.
func (w *Watch) Up() bool { return !w.down.Load() }

// look asks once and tells of changes; at the start also that all is well.
func (w *Watch) look(ctx context.Context, first bool) {
	err := Greet(ctx, w.Address)
	if ctx.Err() != nil {
		return // the service ends: nothing is known
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

// Greet says hello to a SOCKS5 proxy as a call would, with credentials on
// offer, and hangs up; ErrProxyDown when it does not answer in kind within
// five seconds.
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
