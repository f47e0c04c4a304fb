package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type clock struct{ nanos atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1, c.nanos.Load()) }
func (c *clock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

func newReadiness(checks map[string]Check) (*Readiness, *clock, *bytes.Buffer) {
	var c clock
	var logged bytes.Buffer
	r := NewReadiness(checks, c.now, NewLogger(&logged, slog.LevelInfo))
	r.timeout = time.Minute // the machine may be busy
	return r, &c, &logged
}

func probe(t *testing.T, r *Readiness) (status int, answer statusAnswer, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	body = w.Body.String()
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
	return w.Code, answer, body
}

func TestReadyzNamesThePartThatFails(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	r, clock, logged := newReadiness(map[string]Check{
		"postgres": func(context.Context) error { return nil },
		"temporal": func(context.Context) error {
			if down.Load() {
				return errors.New("dial 10.1.2.3:7233: hunter2")
			}
			return nil
		},
	})
	status, answer, _ := probe(t, r)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, statusAnswer{Status: "ready", Parts: map[string]string{"postgres": "ok", "temporal": "ok"}}, answer)

	down.Store(true)
	clock.advance(resultAge)
	status, answer, body := probe(t, r)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, statusAnswer{
		Status: "unavailable", Parts: map[string]string{"postgres": "ok", "temporal": "failing"}, Error: "not ready: temporal",
	}, answer)
	require.NotContains(t, body, "hunter2")
	require.Contains(t, logged.String(), "hunter2")

	clock.advance(resultAge)
	require.Equal(t, []string{"temporal"}, r.deciding(r.failed(t.Context())))
	require.Equal(t, 1, strings.Count(logged.String(), `"msg":"not ready"`), "logged once")

	down.Store(false)
	clock.advance(resultAge)
	status, _, _ = probe(t, r)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, logged.String(), "ready again")
}

func TestProbesShareOneRun(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	r, clock, _ := newReadiness(map[string]Check{"postgres": func(context.Context) error {
		runs.Add(1)
		return errors.New("down")
	}})
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() { require.Equal(t, []string{"postgres"}, r.deciding(r.failed(t.Context()))) })
	}
	wait.Wait()
	require.EqualValues(t, 1, runs.Load())
	clock.advance(resultAge - 1)
	r.deciding(r.failed(t.Context()))
	require.EqualValues(t, 1, runs.Load())
	clock.advance(1)
	r.deciding(r.failed(t.Context()))
	require.EqualValues(t, 2, runs.Load())
}

func TestChecksRunSideBySide(t *testing.T) {
	t.Parallel()
	ping, pong := make(chan struct{}), make(chan struct{})
	r, _, _ := newReadiness(map[string]Check{
		"a": func(ctx context.Context) error { return meet(ctx, ping, pong) },
		"b": func(ctx context.Context) error { return meet(ctx, pong, ping) },
	})
	require.Empty(t, r.deciding(r.failed(t.Context())))
}

// meet returns nil when another check runs at the same time.
func meet(ctx context.Context, mine, other chan struct{}) error {
	close(mine)
	select {
	case <-other:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestHangingCheckFailsAndIsNotPiledUp(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	release := make(chan struct{})
	r, clock, _ := newReadiness(map[string]Check{
		"wallet":   func(context.Context) error { runs.Add(1); <-release; return nil },
		"postgres": func(context.Context) error { return nil },
	})
	for range 3 {
		// The other one answers at once, which a busy machine may not do in time.
		for r.timeout = 300 * time.Millisecond; len(r.deciding(r.failed(t.Context()))) > 1 && r.timeout < time.Minute; r.timeout *= 4 {
			clock.advance(resultAge)
		}
		require.Equal(t, []string{"wallet"}, r.deciding(r.failed(t.Context())))
		clock.advance(resultAge)
	}
	require.EqualValues(t, 1, runs.Load())
	close(release)
	r.timeout = time.Minute
	require.Empty(t, r.deciding(r.failed(t.Context())))
	require.EqualValues(t, 2, runs.Load())
}

func TestProbeThatGoesAwayDoesNotFailTheParts(t *testing.T) {
	t.Parallel()
	r, _, _ := newReadiness(map[string]Check{"postgres": func(ctx context.Context) error { return ctx.Err() }})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.Empty(t, r.deciding(r.failed(gone)))
}

// A part that is only mentioned is shown, and decides nothing.
func TestMentionedPartsDoNotDecide(t *testing.T) {
	t.Parallel()
	up := true
	r := NewReadiness(map[string]Check{"postgres": func(context.Context) error { return nil }}, time.Now, slog.New(slog.DiscardHandler)).
		Mention("proxy", func() bool { return up })
	r.timeout = time.Minute // the machine may be busy
	for _, state := range []string{"ok", "failing"} {
		up = state == "ok"
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", http.NoBody))
		require.Equal(t, http.StatusOK, w.Code)
		require.JSONEq(t, `{"status":"ready","parts":{"postgres":"ok","proxy":"`+state+`"}}`, w.Body.String())
	}
}

func TestInformationalPartsAreShownAndDecideNothing(t *testing.T) {
	t.Parallel()
	r, _, logged := newReadiness(map[string]Check{"postgres": func(context.Context) error { return nil }})
	r.Informational("sandbox", func(context.Context) error { return errors.New("the daemon is on another network") })
	status, answer, _ := probe(t, r)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, statusAnswer{Status: "ready", Parts: map[string]string{"postgres": "ok", "sandbox": "failing"}}, answer)
	require.Empty(t, r.deciding(r.failed(t.Context())))
	require.Contains(t, logged.String(), "the daemon is on another network", "why is in the log")
}
