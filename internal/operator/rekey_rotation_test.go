package operator_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// rotation is a database with sealed values, and the keyset that is rotated.
type rotation struct {
	store *postgres.Store
	box   *secret.Box
	file  string
}

func newRotation(t *testing.T) rotation {
	t.Helper()
	r := rotation{store: pgtest.New(t), file: t.TempDir() + "/keyset.json"}
	require.NoError(t, secret.NewKeysetFile(r.file))
	var err error
	r.box, err = secret.Open(r.file)
	require.NoError(t, err)
	return r
}

func (r rotation) seal(t *testing.T, text string, place secret.AD) []byte {
	t.Helper()
	sealed, err := r.box.Seal([]byte(text), place)
	require.NoError(t, err)
	return sealed
}

func (r rotation) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := r.store.Pool().Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// rotate makes a new key, checks that this number of values is sealed with it,
// and drops the old key. Values that are still sealed with the old key can then
// no longer be opened.
func (r rotation) rotate(t *testing.T, values int, what string) sealed {
	t.Helper()
	require.NoError(t, secret.Rotate(r.file))
	require.NoError(t, r.box.Reload())
	n, err := operator.Rekey(t.Context(), r.store, r.box)
	require.NoError(t, err)
	require.Equal(t, values, n, what)
	n, err = operator.Rekey(t.Context(), r.store, r.box)
	require.NoError(t, err)
	require.Zero(t, n, "the second run finds nothing")
	_, err = secret.DropOldKeys(r.file)
	require.NoError(t, err)
	box, err := secret.Open(r.file)
	require.NoError(t, err)
	return sealed{box}
}

// sealed opens values with only the new key.
type sealed struct{ box *secret.Box }

func (s sealed) requireOpens(t *testing.T, want string, value []byte, place secret.AD) {
	t.Helper()
	plain, err := s.box.Unseal(value, place)
	require.NoError(t, err)
	require.Equal(t, want, string(plain))
}

// TestEverySealedColumnIsRekeyed compares the columns that are rekeyed with those of the
// database.
func TestEverySealedColumnIsRekeyed(t *testing.T) {
	t.Parallel()
	rows, err := pgtest.New(t).Pool().Query(t.Context(), `SELECT table_name || '.' || column_name FROM information_schema.columns
		JOIN information_schema.tables USING (table_schema, table_name) WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name LIKE '%\_sealed'`)
	require.NoError(t, err)
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t, columns, operator.SealedColumns())
}
