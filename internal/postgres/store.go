// Package postgres stores everything that is looked up: merchants, charges, payments on
// the chain, events, deliveries and payouts. Queries are SQL text that sqlc compiles into
// package db. The schema also enforces the rules of states, as constraints. A state
// change, its event and its deliveries share one transaction, which is always passed as an
// argument.
//
// Rows of merchants' money are locked in one order, so that transactions do not deadlock:
// the merchant, the payout, its outgoing transaction, charges by their identifiers,
// received payments, the refund with its claims, wakeups. A charge is also locked before a
// refund of it is made, and before its own payments. The wakeup of a new delivery may come earlier:
// no other client knows it.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/durapay/durapay/internal/postgres/db"
)

// ErrNotFound means that no row has the requested key.
var ErrNotFound = errors.New("not found")

// Store is the services' access to the database.
type Store struct {
	*db.Queries
	pool *pgxpool.Pool
	// alone has the channel of turn for each name of Alone.
	alone  sync.Map
	closed atomic.Bool
}

// Open connects to the database. conns is the maximum number of connections, and limits
// bounds how long their sessions may block other sessions. Queries are traced if tracing was
// set up earlier.
func Open(ctx context.Context, url string, conns int32, limits Limits) (*Store, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("DATABASE_URL is not a connection URL")
	}
	cfg.MaxConns = conns
	if _, traced := otel.GetTracerProvider().(*trace.TracerProvider); traced {
		cfg.ConnConfig.Tracer = otelpgx.NewTracer()
	}
	limits.set(cfg.ConnConfig.RuntimeParams)
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		readDirectly(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return &Store{Queries: db.New(pool), pool: pool}, nil
}

// Close ends all connections.
func (s *Store) Close() {
	s.closed.Store(true)
	s.kept(func(conn *pgx.Conn) *pgx.Conn {
		hangUp(context.Background(), conn)
		return nil
	})
	s.pool.Close()
}

// Connections returns the number of open connections. It does not count those that a call
// of Alone is using.
func (s *Store) Connections() int {
	n := int(s.pool.Stat().TotalConns())
	s.kept(func(conn *pgx.Conn) *pgx.Conn {
		n++
		return conn
	})
	return n
}

// Pool returns the connection pool, for parts that contain their own SQL.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// Ping returns an error if the database does not answer.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// Tx runs fn in one transaction. If fn fails, nothing is changed.
func (s *Store) Tx(ctx context.Context, fn func(q *db.Queries) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		return fn(s.WithTx(tx))
	})
}

// Snapshot runs fn on the state of the database at one point in time. It is for reads of
// several statements that must be consistent.
func (s *Store) Snapshot(ctx context.Context, fn func(q *db.Queries) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return fn(s.WithTx(tx))
	})
}

const (
	// txTries is the maximum number of attempts of TxAgain.
	txTries = 5
	// txPause is the pause after the first failed attempt of TxAgain; it is multiplied by the
	// number of attempts so far. PostgreSQL wakes the sessions that waited for the ended
	// transaction, but does not give them its rows. Without the pause, the new attempt would
	// take the rows first, and meet the same deadlock.
	txPause = 50 * time.Millisecond
)

// TxAgain is Tx with a retry: if PostgreSQL ended the transaction to resolve a deadlock,
// TxAgain runs fn again after the rollback. It is for transactions that must lock their
// rows in another order than most transactions do.
func (s *Store) TxAgain(ctx context.Context, fn func(q *db.Queries) error) error {
	for n := 1; ; n++ {
		err := s.Tx(ctx, fn)
		if n == txTries || !hasCode(err, deadlock) {
			return err
		}
		if !waited(ctx, time.Duration(n)*txPause) {
			return err
		}
	}
}

// waited reports whether the pause has ended before the context.
func waited(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// Error codes of PostgreSQL.
const (
	duplicate   = "23505"
	deadlock    = "40P01"
	lockTimeout = "55P03"
)

func hasCode(err error, code string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == code
}

// IsNotFound reports whether a query of one row found none.
func IsNotFound(err error) bool {
	return errors.Is(err, pgx.ErrNoRows) || errors.Is(err, ErrNotFound)
}

// IsDuplicate reports whether a row with the same unique key exists.
func IsDuplicate(err error) bool { return hasCode(err, duplicate) }

// IsDuplicateOf reports whether a row with the same key of this constraint exists.
func IsDuplicateOf(err error, constraint string) bool {
	pgErr, is := errors.AsType[*pgconn.PgError](err)
	return is && pgErr.Code == duplicate && pgErr.ConstraintName == constraint
}

// Limits bound how long a session of PostgreSQL may block other sessions. Zero means no
// limit.
type Limits struct {
	// Statement bounds a statement, including the wait for its locks.
	Statement time.Duration
	// Lock bounds the wait for a lock. Later sessions wait behind a session that waits for a
	// lock.
	Lock time.Duration
	// Idle bounds the time that an open transaction may do nothing.
	Idle time.Duration
}

// Limits of the processes.
//
//nolint:gochecknoglobals // values
var (
	// Serving is for a process that answers requests.
	Serving = Limits{Statement: 30 * time.Second, Lock: 5 * time.Second, Idle: 2 * time.Minute}
	// Working is for a worker. It has longer limits because a worker retries failed work and
	// removes old rows by the thousand. Its transactions have no Idle limit, because it locks
	// the row of an outgoing transaction while it waits for a daemon. The server notices a
	// machine that has vanished.
	Working = Limits{Statement: 5 * time.Minute, Lock: 30 * time.Second}
	// Migrating is for changes of the schema. Its Lock limit is short because every new charge
	// waits behind a migration that waits for a backup. Migrate tries again.
	Migrating = Limits{Lock: 3 * time.Second}
	// ByHand is for commands that a person watches.
	ByHand = Limits{}
)

// set adds the settings with which a session begins. Settings in DATABASE_URL take
// precedence. With the keepalive settings, the server notices after a minute that the other
// end has vanished. Otherwise the locks of a vanished machine would remain for two hours.
// Unix sockets ignore these settings.
func (l Limits) set(settings map[string]string) {
	for name, value := range map[string]string{
		"statement_timeout":                   milliseconds(l.Statement),
		"lock_timeout":                        milliseconds(l.Lock),
		"idle_in_transaction_session_timeout": milliseconds(l.Idle),
		"tcp_keepalives_idle":                 "30",
		"tcp_keepalives_interval":             "10",
		"tcp_keepalives_count":                "3",
		// JSON has moments in the session's zone, and no zone may move one past the year 9999.
		"timezone": "UTC",
	} {
		if settings[name] == "" {
			settings[name] = value
		}
	}
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
