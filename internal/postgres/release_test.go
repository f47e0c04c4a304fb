package postgres_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
)

// databases is the folder with a database of each released version. It does not exist
// before the first release.
const databases = "testdata/releases"

// TestEveryTableHasARowToKeep fills a database of the current version. If KEEP_RELEASE is
// set, it writes the database of this version to a file, which later versions have to
// upgrade.
func TestEveryTableHasARowToKeep(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	sample, err := os.ReadFile("testdata/rows.sql")
	require.NoError(t, err)
	run(t, store, string(sample))
	for table, rows := range content(t, store) {
		require.NotEmpty(t, rows, "testdata/rows.sql has no row of %s", table)
	}
	if os.Getenv("KEEP_RELEASE") == "" {
		return
	}
	dump := psqlCommands.ReplaceAllString(pgtest.Dump(t, store, "--inserts", "--no-owner"), "")
	require.NoError(t, os.MkdirAll(databases, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(databases, config.Version+".sql"), []byte(dump), 0o644))
}

// TestDatabasesOfReleasesUpgrade upgrades the database of each released version. No row
// may lose data, and the schema must be that of a new database.
func TestDatabasesOfReleasesUpgrade(t *testing.T) {
	t.Parallel()
	dumps, err := filepath.Glob(databases + "/*.sql")
	require.NoError(t, err)
	want := schema(t, pgtest.New(t))
	for _, file := range dumps {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			dump, err := os.ReadFile(file)
			require.NoError(t, err)
			store := pgtest.NewEmpty(t)
			run(t, store, string(dump))
			before, counted := content(t, store), counters(t, store)
			require.NoError(t, store.Migrate(t.Context()))
			for name, last := range counters(t, store) {
				require.GreaterOrEqual(t, last, counted[name], "%s counts from where it was", name)
			}
			for table, rows := range before {
				require.NotEmpty(t, rows, "nothing of %s is tried", table)
				for _, row := range rows {
					var kept bool
					query := fmt.Sprintf("SELECT EXISTS (SELECT FROM %s r WHERE to_jsonb(r) @> $1::jsonb)", table)
					require.NoError(t, store.Pool().QueryRow(t.Context(), query, row).Scan(&kept), table)
					require.True(t, kept, "%s has lost %s", table, row)
				}
			}
			require.Equal(t, want, schema(t, store))
		})
	}
}

// psqlCommands matches the lines of a dump that only psql understands. Newer servers
// write different ones in each dump.
var psqlCommands = regexp.MustCompile(`(?m)^\\.*\n`)

// schema returns all statements that create the database's tables.
func schema(t *testing.T, store *postgres.Store) string {
	t.Helper()
	return psqlCommands.ReplaceAllString(pgtest.Dump(t, store, "--schema-only", "--no-owner"), "")
}

// run runs statements on a separate connection, as psql does.
func run(t *testing.T, store *postgres.Store, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), store.Pool().Config().ConnString())
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
	require.NoError(t, conn.Close(context.WithoutCancel(t.Context())))
}

// content returns every row of every table, as JSON.
func content(t *testing.T, store *postgres.Store) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	for _, table := range column(t, store, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") {
		rows[table] = column(t, store, "SELECT to_jsonb(r)::text FROM "+table+" r")
	}
	return rows
}

// counters returns the last numbers of the sequences.
func counters(t *testing.T, store *postgres.Store) map[string]int64 {
	t.Helper()
	rows, err := store.Pool().Query(t.Context(), "SELECT sequencename, COALESCE(last_value, 0) FROM pg_sequences")
	require.NoError(t, err)
	last := map[string]int64{}
	var name string
	var number int64
	_, err = pgx.ForEachRow(rows, []any{&name, &number}, func() error {
		last[name] = number
		return nil
	})
	require.NoError(t, err)
	return last
}

func column(t *testing.T, store *postgres.Store, sql string) []string {
	t.Helper()
	rows, err := store.Pool().Query(t.Context(), sql)
	require.NoError(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return all
}
