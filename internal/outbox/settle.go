package outbox

import (
	"context"
	"log/slog"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

const (
	// settleEvery is how long outcomes are collected before they are written together.
	settleEvery = 50 * time.Millisecond
	// lastTimeout bounds a statement of a process that ends.
	lastTimeout = 2 * time.Second
	// longestPause is the longest pause of a wakeup that failed. With it, everything is sent
	// within a minute of Temporal's return.
	longestPause = 30 * time.Second
)

// outcome is what became of a wakeup.
type outcome int

const (
	sent outcome = iota
	failed
	untried
)

// settled is a wakeup with its outcome.
type settled struct {
	Wakeup

	outcome outcome
}

// settle writes outcomes, many at a time, until the channel is closed. If the database does
// not take them, the wakeups are sent once more when their lease has ended. After the end of
// ctx it does not wait long for the database.
func settle(ctx context.Context, store *postgres.Store, log *slog.Logger, outcomes <-chan settled) {
	for first := range outcomes {
		lists := map[outcome][]Wakeup{first.outcome: {first.Wakeup}}
		pause := time.After(settleEvery)
	gather:
		for {
			select {
			case next, open := <-outcomes:
				if !open {
					break gather
				}
				lists[next.outcome] = append(lists[next.outcome], next.Wakeup)
			case <-pause:
				break gather
			}
		}
		timeout := queryTimeout
		if ctx.Err() != nil {
			timeout = lastTimeout
		}
		for outcome, list := range lists {
			if err := write(store, outcome, list, timeout); err != nil {
				log.WarnContext(ctx, "wakeups are sent once more", slog.Any("error", err))
			}
		}
	}
}

func write(store *postgres.Store, o outcome, list []Wakeup, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var kinds, ids []string
	var versions []int64
	for _, w := range list {
		kinds, ids, versions = append(kinds, w.Kind), append(ids, w.ID), append(versions, w.Version)
	}
	switch o {
	case sent:
		return store.EndWakeups(ctx, db.EndWakeupsParams{Kinds: kinds, Ids: ids, Versions: versions})
	case failed:
		return store.PostponeWakeups(ctx, db.PostponeWakeupsParams{
			Kinds: kinds, Ids: ids, Versions: versions, LongestSeconds: longestPause.Seconds(),
		})
	default:
		return store.ReleaseWakeups(ctx, db.ReleaseWakeupsParams{Kinds: kinds, Ids: ids, Versions: versions})
	}
}
