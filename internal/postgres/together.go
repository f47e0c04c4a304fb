package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/durapay/durapay/internal/postgres/db"
)

// TxTogether is Tx in few round trips. The transaction begins together with the first
// statement of q. Statements of later wait: they are sent with the next statement of q,
// or with the commit, and their errors come with that. Nobody hears what they answer:
// lists are empty, and rows keep their zero values.
func (s *Store) TxTogether(ctx context.Context, fn func(q, later *db.Queries) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	// A connection whose transaction is open is closed, which rolls it back.
	defer conn.Release()
	t := &together{conn: conn, waiting: &pgx.Batch{}}
	t.waiting.Queue("begin")
	if err := fn(db.New(t), db.New(waiting{t})); err != nil {
		t.rollback(ctx)
		return err
	}
	return t.commit(ctx)
}

// together is a transaction whose statements wait for one that is answered.
type together struct {
	conn    *pgxpool.Conn
	waiting *pgx.Batch
	// begun says that something was sent.
	begun bool
	// lost is why what waited was not done, or nobody knows what was: nothing is done
	// after it.
	lost error
}

// send sends what waits and then a statement, whose results are the next.
func (t *together) send(ctx context.Context, sql string, args []any) (pgx.BatchResults, error) {
	if t.lost != nil {
		return nil, t.lost
	}
	batch := t.waiting
	t.waiting, t.begun = &pgx.Batch{}, true
	batch.Queue(sql, args...)
	results := t.conn.SendBatch(ctx, batch)
	for range batch.Len() - 1 {
		if _, t.lost = results.Exec(); t.lost != nil {
			_ = results.Close() // says the same
			return nil, t.lost
		}
	}
	return results, nil
}

// commit ends the transaction with what waits; one that never began is nothing.
func (t *together) commit(ctx context.Context) error {
	if !t.begun && t.waiting.Len() == 1 {
		return nil
	}
	tag, err := t.Exec(ctx, "commit")
	if err != nil {
		t.rollback(ctx)
		return err
	}
	if tag.String() == "ROLLBACK" {
		return pgx.ErrTxCommitRollback
	}
	return nil
}

// idle is the status of a connection that has no transaction.
const idle = 'I'

// rollback saves the connection. Where it cannot, the release closes it.
func (t *together) rollback(ctx context.Context) {
	if conn := t.conn.Conn(); !conn.IsClosed() && conn.PgConn().TxStatus() != idle {
		_, _ = t.conn.Exec(ctx, "rollback")
	}
}

// Exec implements db.DBTX.
func (t *together) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	results, err := t.send(ctx, sql, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := results.Exec()
	if closeErr := t.end(results); err == nil {
		err = closeErr
	}
	return tag, err
}

// end ends what was sent. A connection that breaks then leaves nothing to go on with.
func (t *together) end(results pgx.BatchResults) error {
	err := results.Close()
	if err != nil {
		t.lost = err
	}
	return err
}

// Query implements db.DBTX.
func (t *together) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	results, err := t.send(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		_ = t.end(results) // says the same
		return nil, err
	}
	return sentRows{rows, t, results}, nil
}

// QueryRow implements db.DBTX.
func (t *together) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	results, err := t.send(ctx, sql, args)
	return sentRow{t, results, err}
}

// sentRows are the last results of what was sent.
type sentRows struct {
	pgx.Rows

	of      *together
	results pgx.BatchResults
}

// Close ends the rows and what was sent.
func (r sentRows) Close() {
	r.Rows.Close()
	_ = r.of.end(r.results) // whoever goes on hears of it
}

// sentRow is the last result of what was sent.
type sentRow struct {
	of      *together
	results pgx.BatchResults
	err     error
}

// Scan implements pgx.Row.
func (r sentRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	err := r.results.QueryRow().Scan(into...)
	if closeErr := r.of.end(r.results); err == nil {
		err = closeErr
	}
	return err
}

// waiting puts statements off.
type waiting struct{ *together }

// Exec implements db.DBTX.
func (w waiting) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	w.waiting.Queue(sql, args...)
	return pgconn.CommandTag{}, nil
}

// Query implements db.DBTX.
func (w waiting) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	w.waiting.Queue(sql, args...)
	return unheard{}, nil
}

// QueryRow implements db.DBTX.
func (w waiting) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	w.waiting.Queue(sql, args...)
	return unheard{}
}

// unheard is the answer of a statement that waits: none.
type unheard struct{ pgx.Rows }

// Close implements pgx.Rows.
func (unheard) Close() {}

// Next implements pgx.Rows.
func (unheard) Next() bool { return false }

// Err implements pgx.Rows.
func (unheard) Err() error { return nil }

// Scan implements pgx.Row.
func (unheard) Scan(...any) error { return nil }
