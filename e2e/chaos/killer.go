package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

// backend stands for one of the processes that PostgreSQL has per connection.
// When one is killed the server ends all of them and recovers.
const backend = "postgres backend"

// victims are what can be killed, in the order in which it must be started.
func victims() []string {
	return []string{
		backend, "postgres", "temporal", "monerod", "litecoind",
		"wallet-watch", "wallet-spend", "wallet-sandbox-watch", "wallet-sandbox-spend",
		"wallet-exchange-watch", "wallet-exchange-spend",
		"worker", "merchant-api", "swap-api",
	}
}

const (
	// mostAtOnce is how many die together.
	mostAtOnce = 3
	// supervised bounds for how long a part that ends at its start is started again.
	supervised = 2 * time.Minute
	// leastCalm and mostCalm come between a start and the next kill, longestDead
	// between a kill and the start.
	leastCalm   = 2 * time.Second
	mostCalm    = 12 * time.Second
	longestDead = 6 * time.Second
)

// kill kills and starts until the time is over; then everything runs.
func (w *testbed) kill(ctx context.Context, d dice, until time.Time, t *tally) error {
	for {
		if err := fixture.Pause(ctx, d.between(leastCalm, mostCalm)); err != nil {
			return err
		}
		chosen := some(d, 1+d.IntN(mostAtOnce), victims())
		dead := d.between(0, longestDead)
		if time.Now().After(until) {
			return nil
		}
		slices.SortFunc(chosen, func(a, b string) int {
			return slices.Index(victims(), a) - slices.Index(victims(), b)
		})
		fixture.Tellf("killing %v for %s", chosen, dead.Round(time.Second/10))
		for _, name := range chosen {
			if err := w.killOne(ctx, d, name); err != nil {
				return fmt.Errorf("kill %s: %w", name, err)
			}
			t.killed(name)
		}
		if err := fixture.Pause(ctx, dead); err != nil {
			return err
		}
		if err := w.start(ctx, chosen); err != nil {
			return err
		}
	}
}

func (w *testbed) killOne(ctx context.Context, d dice, name string) error {
	if name == backend {
		return w.killBackend(ctx, d)
	}
	if name == "litecoind" {
		// It forgets a block that is not on its disk yet: everybody's would be.
		w.ltc.mining.Lock()
		defer w.ltc.mining.Unlock()
	}
	return w.Stack.Kill(name)
}

// killBackend kills a process that serves one of the services' connections.
func (w *testbed) killBackend(ctx context.Context, d dice) error {
	conn, err := w.database(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT pid FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY backend_start`)
	if err != nil {
		return err
	}
	var pids []int
	for rows.Next() {
		var pid int
		if err := rows.Scan(&pid); err != nil {
			return err
		}
		pids = append(pids, pid)
	}
	if err := rows.Err(); err != nil || len(pids) == 0 {
		return err
	}
	err = syscall.Kill(pids[d.IntN(len(pids))], syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) { // it ended by itself
		return nil
	}
	return err
}

// start starts what was killed, and waits until the services work again.
func (w *testbed) start(ctx context.Context, chosen []string) error {
	ctx, cancel := context.WithTimeout(ctx, fixture.Startup)
	defer cancel()
	for _, name := range chosen {
		if name == backend {
			continue
		}
		if err := w.startPart(ctx, name); err != nil {
			return fmt.Errorf("start: %w", err)
		}
	}
	return nil
}

// startPart starts a part as a supervisor does: one that ends because what it
// needs is not there yet is started again.
func (w *testbed) startPart(ctx context.Context, name string) error {
	for begun := time.Now(); ; {
		err := w.Stack.StartPart(ctx, name)
		if err == nil || ctx.Err() != nil || time.Since(begun) > supervised {
			return err
		}
		fixture.Tellf("%s is started again: %v", name, firstLine(err))
		if err := fixture.Pause(ctx, time.Second); err != nil {
			return err
		}
	}
}

// firstLine is an error without the end of a log that it quotes.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
