package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/internal/postgres/db"
)

// Session is a connection of its own, outside of the pool. Each query is a transaction
// unless Tx says otherwise.
type Session struct {
	*db.Queries
	conn *pgx.Conn
}

// Tx is that of Store, on the connection of the session.
func (s *Session) Tx(ctx context.Context, fn func(q *db.Queries) error) error {
	return pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error { return fn(s.WithTx(tx)) })
}

// answerTime is how long the server is given to answer on a connection that was kept, and to
// hear that a session ends.
const answerTime = 5 * time.Second

// Alone runs do while nobody else, in any process, runs with the same name. It is for what
// has to wait for others in between, such as a wallet: no transaction is open meanwhile,
// and no connection of the pool is taken. The lock ends with the connection: before do
// changes anything outside of the database it asks Still. Alone fails where the connection
// is lost in the end. Names are few: each keeps its connection for the next.
func (s *Store) Alone(ctx context.Context, name string, do func(s *Session) error) error {
	turn := s.turn(name)
	var conn *pgx.Conn
	select { // one connection of this process, however many wait
	case conn = <-turn:
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", name, ctx.Err())
	}
	defer func() { turn <- s.keep(ctx, conn) }()
	if conn = s.keep(ctx, conn); conn == nil { // the first, or the server was away meanwhile
		var err error
		if conn, err = s.connect(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtextextended($1, 0))", name); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	session := &Session{Queries: db.New(conn), conn: conn}
	if err := do(session); err != nil {
		return err
	}
	return session.Still(ctx)
}

// turn is taken by whoever runs with the name. It hands on the connection of the last, nil
// where there is none.
func (s *Store) turn(name string) chan *pgx.Conn {
	first := make(chan *pgx.Conn, 1)
	first <- nil
	turn, _ := s.alone.LoadOrStore(name, first)
	return turn.(chan *pgx.Conn) //nolint:forcetypeassert // nothing else is in it
}

// connect opens a connection outside of the pool.
func (s *Store) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	readDirectly(conn.TypeMap())
	// What it waits for may take longer than a server lets others be idle.
	if _, err := conn.Exec(ctx, "SET idle_session_timeout = 0"); err != nil {
		hangUp(ctx, conn)
		return nil, fmt.Errorf("database: %w", err)
	}
	return conn, nil
}

// keep is the connection with nothing locked, or nil if there is none that can go on.
func (s *Store) keep(ctx context.Context, conn *pgx.Conn) *pgx.Conn {
	if conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock_all()"); err != nil || s.closed.Load() {
		hangUp(ctx, conn)
		return nil
	}
	return conn
}

func hangUp(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	_ = conn.Close(ctx)
}

// kept runs do with each connection that waits for the next of its name; what it returns
// is kept.
func (s *Store) kept(do func(*pgx.Conn) *pgx.Conn) {
	s.alone.Range(func(_, turn any) bool {
		select {
		case conn := <-turn.(chan *pgx.Conn): //nolint:forcetypeassert // nothing else is in it
			if conn != nil {
				conn = do(conn)
			}
			turn.(chan *pgx.Conn) <- conn //nolint:forcetypeassert // as above
		default: // in use: its user asks whether the store is closed
		}
		return true
	})
}

// Still fails where the session has ended, and with it what it had locked.
func (s *Session) Still(ctx context.Context) error {
	if err := s.conn.Ping(ctx); err != nil {
		return fmt.Errorf("the session of the database has ended: %w", err)
	}
	return nil
}
