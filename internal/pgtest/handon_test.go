package pgtest

import (
	"context"
	"regexp"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestADatabaseIsHandedOnAsNew(t *testing.T) {
	t.Parallel()
	d := own(t)
	fresh := rowsOf(t, d)
	for _, sql := range []string{
		"UPDATE wallets SET primary_address = 'another'",
		"INSERT INTO alerts (kind, subject, detail) VALUES ('a', 'b', 'c')",
		"SET search_path = pg_catalog",
		"LISTEN charges",
		"SELECT pg_advisory_lock(1)",
	} {
		_, err := d.store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err, sql)
	}
	require.NotEqual(t, fresh, rowsOf(t, d))
	require.NoError(t, d.renew(t.Context()))
	require.Equal(t, fresh, rowsOf(t, d), "rows and sequences")
	var path string
	var listens, locks int
	require.NoError(t, d.store.Pool().QueryRow(t.Context(), `SELECT current_setting('search_path'),
		(SELECT count(*) FROM pg_listening_channels()), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())`).Scan(&path, &listens, &locks))
	require.Equal(t, `"$user", public`, path)
	require.Zero(t, listens)
	require.Zero(t, locks)
}

func TestAChangedDatabaseIsNotHandedOn(t *testing.T) {
	t.Parallel()
	do := func(sql string) func(*testing.T, *database) {
		return func(t *testing.T, d *database) {
			_, err := d.store.Pool().Exec(t.Context(), sql)
			require.NoError(t, err)
		}
	}
	for name, change := range map[string]func(*testing.T, *database){
		"a table":      do("CREATE TABLE more (id int)"),
		"a column":     do("ALTER TABLE wallets ADD COLUMN more int"),
		"a default":    do("ALTER TABLE wallets ALTER COLUMN mode SET DEFAULT 'live'"),
		"a constraint": do("ALTER TABLE wallets DROP CONSTRAINT wallets_pkey CASCADE"),
		"an index":     do("CREATE INDEX more ON wallets (mode)"),
		"a trigger":    do("ALTER TABLE charges DISABLE TRIGGER ALL"),
		"a function":   do("CREATE OR REPLACE FUNCTION database_instance() RETURNS text LANGUAGE sql STABLE AS $$ SELECT '' $$"),
		"a closed store": func(_ *testing.T, d *database) {
			d.store.Close()
		},
		"a transaction": func(t *testing.T, d *database) {
			tx, err := d.store.Pool().Begin(t.Context())
			require.NoError(t, err)
			t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
		},
		"another session": func(t *testing.T, d *database) {
			conn, err := pgx.Connect(t.Context(), d.store.Pool().Config().ConnString())
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close(context.Background()) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := own(t)
			change(t, d)
			require.Error(t, d.renew(t.Context()))
		})
	}
}

// own is a database that is removed after the test.
func own(t *testing.T) *database {
	t.Helper()
	s := running(t)
	d := s.take(t)
	t.Cleanup(func() {
		d.store.Close()
		require.NoError(t, s.drop(context.WithoutCancel(t.Context()), d.name))
	})
	return d
}

// rowsOf is what a backup keeps of a database.
func rowsOf(t *testing.T, d *database) string {
	t.Helper()
	return regexp.MustCompile(`(?m)^\\(un)?restrict .*$`).ReplaceAllString(Dump(t, d.store, "--data-only"), "") // random
}
