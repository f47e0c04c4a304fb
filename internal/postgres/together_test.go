package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

func wakeupsOf(t *testing.T, q *db.Queries) (n int64) {
	t.Helper()
	rows, err := q.CountWakeups(t.Context())
	require.NoError(t, err)
	for _, r := range rows {
		n += r.Count
	}
	return n
}

// TestWhatGoesTogetherIsOneTransaction: waiting statements are executed before the next
// statement of q. All of it is committed or nothing. The connection can be used by the next
// transaction.
func TestWhatGoesTogetherIsOneTransaction(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	ctx := t.Context()
	wake := func(id string) db.WakeNewTradeParams {
		return db.WakeNewTradeParams{ID: id, Owner: "m"}
	}
	alert := func(q *db.Queries, kind string) error {
		return q.OpenAlert(ctx, db.OpenAlertParams{Kind: kind, Subject: "s", Detail: "d"})
	}
	wakeups := func() int64 {
		return wakeupsOf(t, store.Queries)
	}
	require.NoError(t, store.TxTogether(ctx, func(_, _ *db.Queries) error { return nil }), "nothing is done")

	require.NoError(t, store.TxTogether(ctx, func(_, later *db.Queries) error { return later.WakeNewTrade(ctx, wake("a")) }))
	require.EqualValues(t, 1, wakeups(), "the commit sends what waits")

	require.NoError(t, store.TxTogether(ctx, func(q, later *db.Queries) error {
		require.NoError(t, later.WakeNewTrade(ctx, wake("b")))
		require.EqualValues(t, 1, wakeups(), "it waits")
		require.EqualValues(t, 2, wakeupsOf(t, q), "before what is answered")
		require.EqualValues(t, 1, wakeups(), "others see it once it is committed")
		listed, err := later.ListWebhooks(ctx, "m")
		require.NoError(t, err)
		require.Empty(t, listed, "nobody hears of what waits")
		_, err = q.GetWitness(ctx, "none")
		require.True(t, postgres.IsNotFound(err), "no row is no failure of the transaction")
		return alert(q, "kind")
	}))
	require.EqualValues(t, 2, wakeups())

	own := errors.New("refused")
	require.ErrorIs(t, store.TxTogether(ctx, func(q, later *db.Queries) error {
		require.NoError(t, later.WakeNewTrade(ctx, wake("c")))
		require.NoError(t, alert(q, "another"))
		return own
	}), own)
	require.EqualValues(t, 2, wakeups(), "what was refused is rolled back")

	// The table of the last statement has been renamed. The statement is sent by q, with the
	// commit, and before other statements.
	_, err := store.Pool().Exec(ctx, "ALTER TABLE alerts RENAME TO gone")
	require.NoError(t, err)
	for _, last := range []func(q, later *db.Queries) error{
		func(q, later *db.Queries) error {
			return errors.Join(later.WakeNewTrade(ctx, wake("d")), alert(q, "k"))
		},
		func(_, later *db.Queries) error {
			return errors.Join(later.WakeNewTrade(ctx, wake("d")), alert(later, "k"))
		},
		func(q, _ *db.Queries) error { // continue after a failure
			_ = alert(q, "k")
			return q.WakeNewTrade(ctx, wake("d"))
		},
		func(q, later *db.Queries) error {
			_ = alert(later, "k")
			_, _ = q.CountWakeups(ctx)
			return later.WakeNewTrade(ctx, wake("d"))
		},
	} {
		require.Error(t, store.TxTogether(ctx, last))
		require.EqualValues(t, 2, wakeups(), "nothing is left of it")
	}
	require.Zero(t, store.Pool().Stat().AcquiredConns())
}

// TestWhatGoesTogetherIsNeverHalfForgotten: the connection breaks before, after or during
// an answer. A caller that continues in spite of it gets an error, and nothing is
// committed. The next transaction gets a connection without an open transaction.
func TestWhatGoesTogetherIsNeverHalfForgotten(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	ctx := t.Context()
	wake := func(id string) db.WakeNewTradeParams {
		return db.WakeNewTradeParams{ID: id, Owner: "m"}
	}
	killOtherSessions := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
	for name, cut := range map[string]func(*db.Queries){
		"before it is asked": func(q *db.Queries) {
			_, err := store.Pool().Exec(ctx, killOtherSessions)
			require.NoError(t, err)
			_, _ = q.ListWebhooks(ctx, "m")
		},
		"after the answer": func(q *db.Queries) {
			_, err := q.ListWebhooks(ctx, "m")
			require.NoError(t, err)
			_, err = store.Pool().Exec(ctx, killOtherSessions)
			require.NoError(t, err)
		},
		"while it is asked": func(q *db.Queries) {
			gone, leave := context.WithCancel(ctx)
			leave()
			_, _ = q.ListWebhooks(gone, "m")
		},
	} {
		// A test that had the store before may have left connections, and a case kills them
		// for the next one.
		store.Pool().Reset()
		err := store.TxTogether(ctx, func(q, later *db.Queries) error {
			cut(q)
			return later.WakeNewTrade(ctx, wake(name))
		})
		require.Error(t, err, name)
		require.NoError(t, store.Tx(ctx, func(q *db.Queries) error { return q.WakeNewTrade(ctx, wake("next, "+name)) }), name)
		require.EqualValues(t, 1, wakeupsOf(t, store.Queries), name)
		_, err = store.Pool().Exec(ctx, "DELETE FROM wakeups")
		require.NoError(t, err)
	}
	canceled, stop := context.WithCancel(ctx)
	err := store.TxTogether(canceled, func(q, later *db.Queries) error {
		if _, err := q.ListWebhooks(canceled, "m"); err != nil {
			return err
		}
		stop()
		return later.WakeNewTrade(ctx, wake("left"))
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return store.Pool().Stat().AcquiredConns() == 0 }, 8*time.Minute, time.Millisecond)
}
