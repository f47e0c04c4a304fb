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

// hangUp is how long the server is given to hear that a session ends.
const hangUp = 5 * time.Second

// Alone runs do while nobody else, in any process, runs with the same name. It is for what
// has to wait for others in between, such as a wallet: no transaction is open meanwhile,
// and no connection of the pool is taken. The lock ends with the connection: before do
// changes anything outside of the database it asks Still. Alone fails where the connection
// is lost in the end.
func (s *Store) Alone(ctx context.Context, name string, do func(s *Session) error) error {
	gate, _ := s.alone.LoadOrStore(name, make(chan struct{}, 1))
	turn, _ := gate.(chan struct{})
	select { // one connection of this process, however many wait
	case turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", name, ctx.Err())
	}
	defer func() { <-turn }()
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUp)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	readDirectly(conn.TypeMap())
	// What it waits for may take longer than a server lets others be idle.
	if _, err := conn.Exec(ctx, "SET idle_session_timeout = 0"); err != nil {
		return fmt.Errorf("%s: %w", name, err)
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

// Still fails where the session has ended, and with it what it had locked.
func (s *Session) Still(ctx context.Context) error {
	if err := s.conn.Ping(ctx); err != nil {
		return fmt.Errorf("the session of the database has ended: %w", err)
	}
	return nil
}
