package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/e2e/fixture"
)

func (w *testbed) kill(ctx context.Context, x disturbance) {
	if x.on == backend {
		w.killBackend(ctx, x)
		return
	}
	if !w.runs(x.on) {
		return
	}
	if x.on == "litecoind" {
		// litecoind loses a block that is not on its disk yet, with the payments of all actors.
		w.ltc.mining.Lock()
		defer w.ltc.mining.Unlock()
	}
	fixture.Do(w.Stack.Kill(x.on))
}

// killBackend kills a process that serves one of the services' connections. There is
// none to kill while PostgreSQL itself is away.
func (w *testbed) killBackend(ctx context.Context, x disturbance) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	pids, err := w.backends(ctx)
	if err != nil || len(pids) == 0 {
		return
	}
	err = syscall.Kill(pids[x.index(len(pids))], syscall.SIGKILL)
	if !errors.Is(err, syscall.ESRCH) { // else it ended by itself
		fixture.Do(err)
	}
}

func (w *testbed) backends(ctx context.Context) ([]int, error) {
	conn, err := w.database(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT pid FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY backend_start`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int])
}

func (w *testbed) start(ctx context.Context, x disturbance) {
	if x.on != backend {
		w.startPart(ctx, x.on)
	}
}

// startPart starts a part as a supervisor does: it starts a part again that ends
// because it needs another part that is not there yet.
func (w *testbed) startPart(ctx context.Context, name string) {
	for {
		err := w.Stack.StartPart(ctx, name)
		if err == nil || ctx.Err() != nil {
			fixture.Do(err)
			return
		}
		fixture.Reportf("%s is started again: %v", name, firstLine(err))
		fixture.Do(fixture.Pause(ctx, time.Second))
	}
}

// firstLine is an error without the end of a log that it quotes.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// hang stops a part and all of its children. Meanwhile no actor may request a block of
// Litecoin, because it could not find out whether the block is on the disk.
func (w *testbed) hang(_ context.Context, x disturbance) {
	if x.on == "litecoind" {
		w.ltc.mining.Lock()
	}
	if w.runs(x.on) {
		fixture.Do(w.Stack.Pause(x.on))
	}
}

func (w *testbed) resume(_ context.Context, x disturbance) {
	if x.on == "litecoind" {
		defer w.ltc.mining.Unlock()
	}
	if w.runs(x.on) {
		fixture.Do(w.Stack.Resume(x.on))
	}
}

// clockOf names the clock of a service.
func clockOf(service string) string { return clockPrefix + service }

const (
	clockPrefix = "clock of "
	// furthest is how far a clock is moved at most, forwards or backwards.
	furthest = 10 * time.Minute
)

// moveClock moves the clock of one service. It writes no time that is after the end of the
// disturbances, because its merchants would wait for that.
func (w *testbed) moveClock(_ context.Context, x disturbance) {
	most := min(furthest, time.Until(w.until)-x.lasts)
	by := time.Duration(float64(max(most, 0)) * (float64(x.pick%2001)/1000 - 1))
	fixture.Reportf("%s by %s", x, by.Round(time.Second))
	fixture.Do(w.Stack.MoveClock(strings.TrimPrefix(x.on, clockPrefix), by))
}

func (w *testbed) rightClock(_ context.Context, x disturbance) {
	fixture.Do(w.Stack.MoveClock(strings.TrimPrefix(x.on, clockPrefix), 0))
}

// runs reports whether a part has a process. A part that ended by itself is started after the round.
func (w *testbed) runs(name string) bool { return slices.Contains(w.Stack.Running(), name) }

// refuse lets the receiver of one merchant's events answer with an error, or not at all.
func (w *testbed) refuse(_ context.Context, x disturbance) {
	how := fixture.AnswerStatus(http.StatusServiceUnavailable)
	if x.pick>>32%2 == 0 {
		how = fixture.AnswerNothing
	}
	w.Hooks.Answer(w.shopOf(x).path, how)
}

func (w *testbed) accept(_ context.Context, x disturbance) {
	w.Hooks.Answer(w.shopOf(x).path, fixture.AnswerStatus(http.StatusOK))
}

func (w *testbed) shopOf(x disturbance) *shop { return w.shops[x.index(len(w.shops))] }
