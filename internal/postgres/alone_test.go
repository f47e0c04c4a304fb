package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
)

// TestAloneKeepsItsConnectionAndNotItsLock: two processes take turns, each on one
// connection. A process whose connection was ended in between opens another.
func TestAloneKeepsItsConnectionAndNotItsLock(t *testing.T) {
	t.Parallel()
	url := pgtest.NewURL(t)
	a, b := open(t, url), open(t, url)
	seen := map[*postgres.Store][]int{}
	turn := func(s *postgres.Store) {
		t.Helper()
		require.NoError(t, s.Alone(t.Context(), "one", func(session *postgres.Session) error {
			seen[s] = append(seen[s], sessionThatLocks(t, s.Pool()))
			return session.Still(t.Context())
		}))
		require.Zero(t, sessionThatLocks(t, s.Pool()), "nobody runs and something is locked")
	}
	turn(a)
	turn(b)
	turn(a)
	turn(b)
	require.Equal(t, seen[a][0], seen[a][1], "another connection for the second turn")
	require.Equal(t, seen[b][0], seen[b][1], "another connection for the second turn")
	require.NotEqual(t, seen[a][0], seen[b][0])

	_, err := b.Pool().Exec(t.Context(), "SELECT pg_terminate_backend($1, 10000)", seen[a][0])
	require.NoError(t, err)
	turn(a)
	require.NotEqual(t, seen[a][1], seen[a][2])

	a.Close()
	require.Eventually(t, func() bool { // the server ends a session after its client
		var open int
		err := b.Pool().QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE pid = $1", seen[a][2]).Scan(&open)
		return err == nil && open == 0
	}, 8*time.Minute, 10*time.Millisecond, "the store is closed and its connection is not")
}

// TestLostConnectionIsReportedBeforeTheSessionContinues: Still returns an error, because
// the lock has ended with the connection.
func TestLostConnectionIsReportedBeforeTheSessionContinues(t *testing.T) {
	t.Parallel()
	url := pgtest.NewURL(t)
	a, b := open(t, url), open(t, url)
	err := a.Alone(t.Context(), "one", func(session *postgres.Session) error {
		_, err := b.Pool().Exec(t.Context(), "SELECT pg_terminate_backend($1, 10000)", sessionThatLocks(t, b.Pool()))
		require.NoError(t, err)
		require.NoError(t, b.Alone(t.Context(), "one", func(*postgres.Session) error { return nil }))
		require.Error(t, session.Still(t.Context()))
		return nil
	})
	require.Error(t, err)
}

func open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, 4, postgres.ByHand)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// sessionThatLocks returns the server process that holds an advisory lock, and 0 if there is
// none.
func sessionThatLocks(t *testing.T, pool *pgxpool.Pool) (pid int) {
	t.Helper()
	require.NoError(t, pool.QueryRow(context.WithoutCancel(t.Context()), `SELECT COALESCE((SELECT l.pid FROM pg_locks l
		WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())), 0)`).Scan(&pid))
	return pid
}
