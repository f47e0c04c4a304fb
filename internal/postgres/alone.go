package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/internal/postgres/db"
)

// Session is a separate connection outside of the pool. Each query is a transaction of its
// own unless Tx is used.
type Session struct {
	*db.Queries
	conn *pgx.Conn
}

// Tx is Store.Tx on the connection of the session.
func (s *Session) Tx(ctx context.Context, fn func(q *db.Queries) error) error {
	return pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error { return fn(s.WithTx(tx)) })
}

// answerTime is the time within which the server must answer on a kept connection, and
// accept the end of a session.
const answerTime = 5 * time.Second

// Alone runs do while no other call with the same name runs, in any process. It is for work
// that has to wait for something else in between, such as a wallet: no transaction is open
// in the meantime, and no connection of the pool is used.
//
// The lock ends with the connection. So do must call Still before it changes anything
// outside of the database. Alone fails if the connection is lost at the end. Use few names,
// because each keeps its connection for the next call.
func (s *Store) Alone(ctx context.Context, name string, do func(s *Session) error) error {
	turn := s.turn(name)
	var conn *pgx.Conn
	select { // only one connection of this process per name, however many calls wait
	case conn = <-turn:
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", name, ctx.Err())
	}
	defer func() { turn <- s.keep(ctx, conn) }()
	if conn = s.keep(ctx, conn); conn == nil { // the first call, or the connection was lost in the meantime
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

// turn returns the channel that a caller with the name takes its turn from. Its value is the
// connection of the previous caller, or nil if there is none.
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
	// The work may have to wait longer than the server allows a session to be idle.
	if _, err := conn.Exec(ctx, "SET idle_session_timeout = 0"); err != nil {
		hangUp(ctx, conn)
		return nil, fmt.Errorf("database: %w", err)
	}
	return conn, nil
}

// keep returns the connection after it has released all locks, or nil if there is no usable
// connection.
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

// kept runs do with each connection that waits for the next caller of its name. The
// connection that do returns is kept in its place.
func (s *Store) kept(do func(*pgx.Conn) *pgx.Conn) {
	s.alone.Range(func(_, turn any) bool {
		select {
		case conn := <-turn.(chan *pgx.Conn): //nolint:forcetypeassert // nothing else is in it
			if conn != nil {
				conn = do(conn)
			}
			turn.(chan *pgx.Conn) <- conn //nolint:forcetypeassert // as above
		default: // in use: its user checks whether the store is closed
		}
		return true
	})
}

// Still returns an error if the session has ended, because its locks have ended with it.
func (s *Session) Still(ctx context.Context) error {
	if err := s.conn.Ping(ctx); err != nil {
		return fmt.Errorf("the session of the database has ended: %w", err)
	}
	return nil
}
