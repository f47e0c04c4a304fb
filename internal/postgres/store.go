// Package postgres keeps what is looked up: merchants, charges, what the chain
// showed, events, deliveries and payouts. Queries are SQL text compiled by
// sqlc into package db; the state rules stand in the schema as constraints
// too. A state change, its event and its deliveries share one transaction,
// which is always passed as an argument.
//
// Rows of merchants' money are locked in one order, so that nobody waits in a circle: the
// merchant, the payout, its outgoing transaction, charges by their identifiers, received
// payments, the refund with its claims. A charge is also locked before a refund is made of
// it, and before its own payments.
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

// ErrNotFound says that no row has the key asked for.
var ErrNotFound = errors.New("not found")

// Store is the database as the services use it.
type Store struct {
	*db.Queries
	pool *pgxpool.Pool
	// alone has a turn for each name of Alone.
	alone  sync.Map
	closed atomic.Bool
}

// Open connects to the database; conns bounds the connections, and limits what their
// sessions may keep from others. Queries are traced where tracing was set up before.
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

// Connections is how many the store has open while nobody uses it.
func (s *Store) Connections() int {
	n := int(s.pool.Stat().TotalConns())
	s.kept(func(conn *pgx.Conn) *pgx.Conn {
		n++
		return conn
	})
	return n
}

// Pool is the connection pool, for parts that bring their own SQL.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// Ping tells whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// Tx runs fn in one transaction: all of it happens, or nothing.
func (s *Store) Tx(ctx context.Context, fn func(q *db.Queries) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		return fn(s.WithTx(tx))
	})
}

// Snapshot runs fn on what the database holds at one moment, for reads of several
// statements that must fit together.
func (s *Store) Snapshot(ctx context.Context, fn func(q *db.Queries) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return fn(s.WithTx(tx))
	})
}

const (
	// txTries is how often TxAgain begins.
	txTries = 5
	// txPause is the pause before TxAgain begins anew: so many times the number of
	// tries. PostgreSQL wakes those who waited for the ended transaction, but does
	// not hand them its rows: one that began at once would take them first, and meet
	// the same deadlock.
	txPause = 50 * time.Millisecond
)

// TxAgain is Tx that begins anew when PostgreSQL ended the transaction to
// resolve a deadlock: fn is run again, and nothing of before is there. It is for
// what must take its rows in another order than others do.
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

// waited says whether the pause is over, and not the context.
func waited(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// Codes of PostgreSQL.
const (
	duplicate   = "23505"
	deadlock    = "40P01"
	lockTimeout = "55P03"
)

func hasCode(err error, code string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == code
}

// IsNotFound says whether a query of one row found none.
func IsNotFound(err error) bool {
	return errors.Is(err, pgx.ErrNoRows) || errors.Is(err, ErrNotFound)
}

// IsDuplicate says whether a row with the same unique key exists.
func IsDuplicate(err error) bool { return hasCode(err, duplicate) }
