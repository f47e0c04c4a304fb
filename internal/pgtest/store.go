package pgtest

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
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
	}, maxWait, 10*time.Millisecond, "%d transactions wait for the holder", n)
}

// SendWakeups sends the wakeups that are due, one after the other, as a worker's outbox does.
func SendWakeups(tb testing.TB, store *postgres.Store, send func(context.Context, db.Wakeup) error) {
	tb.Helper()
	ctx := tb.Context()
	var lanes [][]db.Wakeup // leased together, so that a postponed wakeup is not sent twice
	for _, retried := range []bool{false, true} {
		due, err := store.LeaseWakeups(ctx, db.LeaseWakeupsParams{LeaseSeconds: 3600, Retried: retried, Ranked: 1000, Batch: 1000})
		require.NoError(tb, err)
		slices.SortStableFunc(due, func(a, b db.Wakeup) int { return cmp.Compare(a.Urgency, b.Urgency) })
		lanes = append(lanes, due)
	}
	for _, due := range lanes {
		for _, w := range due {
			params := db.EndWakeupsParams{Kinds: []string{w.Kind}, Ids: []string{w.ID}, Versions: []int64{w.Version}}
			if send(ctx, w) == nil {
				require.NoError(tb, store.EndWakeups(ctx, params))
				continue
			}
			require.NoError(tb, store.PostponeWakeups(ctx, db.PostponeWakeupsParams{
				Kinds: params.Kinds, Ids: params.Ids, Versions: params.Versions, LongestSeconds: 30,
			}))
		}
	}
}

// SetChain sets how many blocks of a wallet's chain have been scanned, and marks
// the payments as mature that mature by then, as a scan would.
func SetChain(tb testing.TB, store *postgres.Store, walletID string, height int64) {
	tb.Helper()
	for _, sql := range []string{
		"UPDATE chains SET chain_height = $2, top_hash = 'h' WHERE id = (SELECT chain_id FROM wallets WHERE id = $1)",
		"UPDATE received_payments SET mature = true WHERE wallet_id = $1 AND mature_height <= $2",
	} {
		_, err := store.Pool().Exec(tb.Context(), sql, walletID, height)
		require.NoError(tb, err)
	}
}

// Dump is a copy of the database as a backup has it: every row of every table, with
// binary values in hex. Options are those of pg_dump.
func Dump(tb testing.TB, store *postgres.Store, options ...string) string {
	tb.Helper()
	initdb, err := programs.Initdb.Find(".")
	require.NoError(tb, err)
	cmd := exec.CommandContext(tb.Context(), filepath.Join(filepath.Dir(initdb), "pg_dump"), append(options, "--dbname", store.Pool().Config().ConnString())...)
	var errs strings.Builder
	cmd.Stderr = &errs
	dump, err := cmd.Output()
	require.NoError(tb, err, errs.String())
	// pg_dump ends before its session does.
	_, err = store.Pool().Exec(tb.Context(), `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'pg_dump'`)
	require.NoError(tb, err)
	return string(dump)
}

// Traces are the spellings in which a text stands somewhere: as it is, in hex,
// and in base64 wherever it begins there.
func Traces(where, text string) (found []string) {
	where = strings.ReplaceAll(where, `\\`, `\`)
	spellings := map[string]string{"plain": text, "hex": hex.EncodeToString([]byte(text))}
	for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
		for before := range 3 {
			padded := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + text))
			first := []int{0, 2, 3}[before]       // the characters before also encode the zero bytes
			whole := (before + len(text)) / 3 * 4 // the characters after may also encode the next bytes
			spellings[name+"+"+string(rune('0'+before))] = padded[first:min(whole, len(padded))]
		}
	}
	for name, spelling := range spellings {
		if spelling != "" && strings.Contains(where, spelling) {
			found = append(found, name)
		}
	}
	return found
}
