package pgtest

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
)

// blocked counts the sessions of this database that wait for a session: for its locks, or
// for a session that does.
const blocked = `WITH RECURSIVE waits AS (
	SELECT pid, pg_blocking_pids(pid) AS blockers FROM pg_stat_activity WHERE datname = current_database()
), blocked AS (
	SELECT pid FROM waits WHERE $1 = ANY(blockers)
	UNION SELECT w.pid FROM waits w JOIN blocked b ON b.pid = ANY(w.blockers)
) SELECT count(*) FROM blocked`

// AwaitBlocked returns once n transactions wait for the holder. Sessions that wait for
// another lock do not count, and the database of another test cannot be seen.
func AwaitBlocked(tb testing.TB, store *postgres.Store, holder pgx.Tx, n int) {
	tb.Helper()
	pid := int32(holder.Conn().PgConn().PID())
	require.Eventually(tb, func() bool {
		var waiting int
		err := store.Pool().QueryRow(tb.Context(), blocked, pid).Scan(&waiting)
		return err == nil && waiting == n
	}, patience, 10*time.Millisecond, "%d transactions wait for the holder", n)
}
