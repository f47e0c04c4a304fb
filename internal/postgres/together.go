package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/durapay/durapay/internal/postgres/db"
)

// TxTogether runs fn in a transaction with few round trips. The transaction begins with
// the first statement of q. Statements of later wait: they are sent with the next
// statement of q, or with the commit, which also returns their errors. Their results
// are discarded: lists are empty, and rows keep their zero values.
func (s *Store) TxTogether(ctx context.Context, fn func(q, later *db.Queries) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	// Release closes a connection whose transaction is open, which rolls the transaction
	// back.
	defer conn.Release()
	t := &together{conn: conn, waiting: &pgx.Batch{}}
	t.waiting.Queue("begin")
	if err := fn(db.New(t), db.New(waiting{t})); err != nil {
		t.rollback(ctx)
		return err
	}
	return t.commit(ctx)
}

// together is a transaction whose statements wait for one that needs an answer.
type together struct {
	conn    *pgxpool.Conn
	waiting *pgx.Batch
	// begun reports whether anything was sent.
	begun bool
	// lost is the error after which the transaction cannot continue: a waiting statement
	// failed, or it is unknown which statements were executed.
	lost error
}

// send sends the waiting statements and then one more. The results of that one are the
// next to read.
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
			_ = results.Close() // returns the same error
			return nil, t.lost
		}
	}
	return results, nil
}

// commit commits the transaction together with the waiting statements. If no statement
// was issued at all, it does nothing.
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

// idle is the status of a connection without a transaction.
const idle = 'I'

// rollback makes the connection usable again. If that fails, the release closes it.
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

// end reads the remaining results. If the connection breaks, the transaction cannot
// continue.
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
		_ = t.end(results) // returns the same error
		return nil, err
	}
	return sentRows{rows, t, results}, nil
}

// QueryRow implements db.DBTX.
func (t *together) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	results, err := t.send(ctx, sql, args)
	return sentRow{t, results, err}
}

// sentRows are the results of the last statement that was sent.
type sentRows struct {
	pgx.Rows

	of      *together
	results pgx.BatchResults
}

// Close closes the rows and the batch.
func (r sentRows) Close() {
	r.Rows.Close()
	_ = r.of.end(r.results) // the next statement returns the error
}

// sentRow is the single-row result of the last statement that was sent.
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

// waiting queues statements for later.
type waiting struct{ *together }

// Exec implements db.DBTX.
func (w waiting) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	w.waiting.Queue(sql, args...)
	return pgconn.CommandTag{}, nil
}

// Query implements db.DBTX.
func (w waiting) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	w.waiting.Queue(sql, args...)
	return noRows{}, nil
}

// QueryRow implements db.DBTX.
func (w waiting) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	w.waiting.Queue(sql, args...)
	return noRows{}
}

// unheard is the empty result of a waiting statement.
type noRows struct{ pgx.Rows }

// Close implements pgx.Rows.
func (noRows) Close() {}

// Next implements pgx.Rows.
func (noRows) Next() bool { return false }

// Err implements pgx.Rows.
func (noRows) Err() error { return nil }

// Scan implements pgx.Row.
func (noRows) Scan(...any) error { return nil }
