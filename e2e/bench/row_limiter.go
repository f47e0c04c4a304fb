package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

const (
	// limiterBar is the share of the rate of reads without limits.
	limiterBar = 0.9
	// limitedVisitors are so many that none of them meets its limit.
	limitedVisitors = 5000
)

func (b *bench) limiterAddresses() int { return publicCharges }

// limiter compares public reads with and without rate limits: a second
// instance of the API has them on.
func (b *bench) limiter(ctx context.Context) error {
	charges, err := b.crowd.charges(ctx, publicCharges)
	if err != nil {
		return err
	}
	limited, err := b.fixture.startTwin(ctx, "RATE_LIMITS=on")
	if err != nil {
		return err
	}
	read := func(base string) work {
		return func(ctx context.Context, n int64) error {
			url := base + "/api/charges/" + charges[n%publicCharges].ID + "/public"
			return b.fixture.getFrom(ctx, url, fmt.Sprintf("10.1.%d.%d", n%limitedVisitors/250, n%250))
		}
	}
	c, err := b.sizes.inTurns(ctx, publicClients, nil, read(b.crowd.BaseURL), read(limited.url))
	if err := errors.Join(err, limited.stop()); err != nil {
		return err
	}
	ratio := c.ratioTo(0)
	b.table.add(row{
		measure: fmt.Sprintf("public reads with rate limits, %s visitors", thousands(limitedVisitors)),
		value:   perSecond(c.rate(1)), reference: "without limits " + perSecond(c.rate(0)),
		ratio: ratioText(ratio), bar: fmt.Sprintf("ratio ≥ %.1f", limiterBar), met: ratio >= limiterBar,
	})
	return nil
}

// getFrom reads a URL for a visitor at an address.
func (w *fixture) getFrom(ctx context.Context, url, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("X-Forwarded-For", address)
	return w.do(req, "")
}

// apiTwin is a second instance of the merchant API.
type apiTwin struct {
	url string
	cmd *exec.Cmd
}

// startTwin runs the stack's API once more, with its program and environment,
// on ports of its own and with a setting changed.
func (w *fixture) startTwin(ctx context.Context, setting string) (*apiTwin, error) {
	program, environ, err := w.service("PID_MERCHANT_API")
	if err != nil {
		return nil, fmt.Errorf("second API: %w", err)
	}
	public, publicErr := freePort(ctx)
	internal, internalErr := freePort(ctx)
	if err := errors.Join(publicErr, internalErr); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "merchant-api")
	cmd.Env = slices.Concat(environ, []string{
		"MERCHANT_LISTEN=" + public, "MERCHANT_ONION_LISTEN=", "INTERNAL_LISTEN=" + internal, setting,
	})
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("second API: %w", err)
	}
	twin := &apiTwin{url: "http://" + public, cmd: cmd}
	if err := w.await(ctx, twin.url+"/readyz"); err != nil {
		return nil, errors.Join(err, twin.stop())
	}
	return twin, nil
}

// await returns when a URL answers.
func (w *fixture) await(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		err := w.get(ctx, url, "")
		if err == nil {
			return nil
		}
		if pause(ctx, 100*time.Millisecond) != nil {
			return err
		}
	}
}

func (t *apiTwin) stop() error {
	err := t.cmd.Process.Signal(syscall.SIGTERM)
	return errors.Join(err, t.cmd.Wait())
}

func freePort(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
