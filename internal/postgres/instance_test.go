package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

// TestTheInstanceOfADatabaseHasItsWords: leases store the text of the instance, so a
// change of the text would end all leases at once.
func TestTheInstanceOfADatabaseHasItsWords(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	var is, was string
	require.NoError(t, store.Pool().QueryRow(t.Context(), `SELECT database_instance(), extract(epoch FROM pg_postmaster_start_time())::text
		|| '/' || (SELECT d.oid::text FROM pg_database d WHERE d.datname = current_database())
		|| '/' || 'witnesses'::regclass::oid::text || '/' || pg_relation_filenode('witnesses'::regclass)::text`).Scan(&is, &was))
	require.Equal(t, was, is)
	_, err := store.Pool().Exec(t.Context(), "VACUUM FULL witnesses")
	require.NoError(t, err)
	require.NoError(t, store.Pool().QueryRow(t.Context(), "SELECT database_instance()").Scan(&is))
	require.NotEqual(t, was, is, "a table that was made anew is another")
}
