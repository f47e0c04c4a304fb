package pgtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
)

// database is a test's own until it ends, and then another test's: its sessions
// have read the catalog and planned the statements already, which takes longer
// than most tests.
type database struct {
	name  string
	store *postgres.Store
	// catalog is what the schema looked like when it was new.
	catalog string
	// seeds are the rows of the migrations: table to JSON.
	seeds map[string]string
}

// free are the databases that are as new.
//
//nolint:gochecknoglobals // of the process, as the server is
var free struct {
	sync.Mutex
	databases []*database
}

func (s *server) take(tb testing.TB) *database {
	tb.Helper()
	free.Lock()
	defer free.Unlock()
	if last := len(free.databases) - 1; last >= 0 {
		d := free.databases[last]
		free.databases = free.databases[:last]
		return d
	}
	d := &database{name: s.create(tb, template())}
	var err error
	d.store, err = postgres.Open(context.WithoutCancel(tb.Context()), s.database(d.name), connections, postgres.ByHand)
	require.NoError(tb, err)
	d.catalog, err = d.look(tb.Context())
	require.NoError(tb, err)
	d.seeds, err = d.rows(tb.Context())
	require.NoError(tb, err)
	return d
}

// giveBack hands a database on if it can be made as new, and removes it otherwise: a
// test may have changed its schema, closed its store, or left a session open. A server
// that outlives the process keeps nothing.
func (s *server) giveBack(tb testing.TB, d *database) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	defer cancel()
	if s.lease == nil || tb.Failed() || d.renew(ctx) != nil {
		d.store.Close()
		require.NoError(tb, s.drop(ctx, d.name))
		return
	}
	free.Lock()
	defer free.Unlock()
	free.databases = append(free.databases, d)
}

// renew resets the database for the next test. Its error is the reason why it cannot.
func (d *database) renew(ctx context.Context) error {
	pool := d.store.Pool()
	if pool.Stat().AcquiredConns() > 0 {
		return errors.New("somebody still uses the store")
	}
	for _, conn := range pool.AcquireAllIdle(ctx) {
		_, err := conn.Exec(ctx, "UNLISTEN *; RESET ALL; SELECT pg_advisory_unlock_all()")
		conn.Release()
		if err != nil {
			return fmt.Errorf("a session is gone: %w", err)
		}
	}
	if catalog, err := d.look(ctx); err != nil || catalog != d.catalog {
		return errors.Join(err, errors.New("the schema has changed, or another session is open"))
	}
	written, err := d.written(ctx)
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil { // no trigger, no foreign key
			return err
		}
		if _, err := tx.Exec(ctx, restart+"; DELETE FROM "+strings.Join(written, "; DELETE FROM ")); err != nil {
			return err
		}
		for table, rows := range d.seeds {
			seed := fmt.Sprintf("INSERT INTO %[1]s OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::%[1]s, $1)", table)
			if _, err := tx.Exec(ctx, seed, rows); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = pool.Exec(ctx, "VACUUM "+strings.Join(written, ", ")) // else later queries read the deleted rows
	return err
}

// restart makes the sequences start from the beginning.
const restart = `SELECT setval(seqrelid, seqstart, false) FROM pg_sequence
	WHERE pg_sequence_last_value(seqrelid) IS NOT NULL AND seqrelid <> 'goose_db_version_id_seq'::regclass`

// look is a text that every change of the schema changes, and every session that is
// not the store's.
func (d *database) look(ctx context.Context) (catalog string, err error) {
	counts := []string{"(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend') - $1"}
	for _, table := range []string{"pg_class", "pg_attribute", "pg_attrdef", "pg_constraint", "pg_index", "pg_trigger", "pg_proc", "pg_type"} {
		counts = append(counts, fmt.Sprintf("(SELECT count(*) || '/' || max(xmin::text::bigint) FROM %s)", table))
	}
	query := fmt.Sprintf("SELECT concat_ws(' ', %s)", strings.Join(counts, ", "))
	err = d.store.Pool().AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		return conn.QueryRow(ctx, query, d.store.Connections()).Scan(&catalog)
	})
	return catalog, err
}

// written are the tables in which a row was since they were made or vacuumed.
func (d *database) written(ctx context.Context) ([]string, error) {
	tables, err := d.store.Pool().Query(ctx, `SELECT oid::regclass::text FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'goose_db_version' AND pg_relation_size(oid) > 0`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(tables, pgx.RowTo[string])
}

// rows are those of the migrations, as JSON by table.
func (d *database) rows(ctx context.Context) (map[string]string, error) {
	tables, err := d.written(ctx)
	if err != nil {
		return nil, err
	}
	seeds := map[string]string{}
	for _, table := range tables {
		var rows string
		if err := d.store.Pool().QueryRow(ctx, "SELECT json_agg(t) FROM "+table+" t").Scan(&rows); err != nil {
			return nil, err
		}
		seeds[table] = rows
	}
	return seeds, nil
}
