package postgres_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
)

func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	address := pgtest.NewURL(t)
	for name, c := range map[string]struct {
		limits          postgres.Limits
		own             string
		statement, lock string
	}{
		"an API":               {postgres.Serving, "", "30s", "5s"},
		"a worker":             {postgres.Working, "", "5min", "30s"},
		"a migration":          {postgres.Migrating, "", "0", "3s"},
		"a command":            {postgres.ByHand, "", "0", "0"},
		"what the URL demands": {postgres.Serving, "lock_timeout=7s", "30s", "7s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := postgres.Open(t.Context(), with(t, address, c.own), 2, c.limits)
			require.NoError(t, err)
			defer store.Close()
			var statement, lock string
			require.NoError(t, store.Pool().QueryRow(t.Context(),
				"SELECT current_setting('statement_timeout'), current_setting('lock_timeout')").Scan(&statement, &lock))
			require.Equal(t, c.statement, statement)
			require.Equal(t, c.lock, lock)
		})
	}
}

// A database whose zone is east of Greenwich writes the last moment of a lock into JSON
// with a year of five digits, which is no moment.
func TestSessionsAreInUTC(t *testing.T) {
	t.Parallel()
	store, err := postgres.Open(t.Context(), pgtest.NewURL(t), 2, postgres.Serving)
	require.NoError(t, err)
	defer store.Close()
	_, err = store.Pool().Exec(t.Context(), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'Europe/Berlin'); END $$`)
	require.NoError(t, err)
	store.Pool().Reset()
	var zone, last string
	require.NoError(t, store.Pool().QueryRow(t.Context(),
		`SELECT current_setting('timezone'), json_build_object('at', '9999-12-31T23:59:59Z'::timestamptz)->>'at'`).Scan(&zone, &last))
	require.Equal(t, "UTC", zone)
	require.Equal(t, "9999-12-31T23:59:59+00:00", last)
}

// TestAMigrationLetsOtherSessionsPass: another session holds a lock that a migration needs, as
// a backup does. The migration gives up soon, so the sessions that wait behind it can
// continue. It is then tried again.
func TestAMigrationLetsOtherSessionsPass(t *testing.T) {
	t.Parallel()
	fixture := pgtest.NewEmpty(t)
	holder, err := fixture.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = holder.Rollback(t.Context()) }()
	_, err = holder.Exec(t.Context(), "CREATE TABLE wallets ()")
	require.NoError(t, err)
	store, err := postgres.Open(t.Context(), with(t, fixture.Pool().Config().ConnString(), "lock_timeout=50"), 2, postgres.Migrating)
	require.NoError(t, err)
	defer store.Close()

	migrated := make(chan error, 1)
	go func() { migrated <- store.Migrate(t.Context()) }()
	pgtest.AwaitBlocked(t, fixture, holder, 1)
	pgtest.AwaitBlocked(t, fixture, holder, 0)
	require.NoError(t, holder.Rollback(t.Context()))
	require.NoError(t, <-migrated)
	_, err = fixture.GetWallet(t.Context(), "simulated")
	require.NoError(t, err)
}

// with returns the address of a database with a further setting.
func with(t *testing.T, address, setting string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.RawQuery += "&" + setting
	return u.String()
}
