package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Listen calls heard for each notification of a channel until the connection is lost or
// ctx is done, and returns the reason. It holds a connection all that time. channel is
// the name of one of our own channels.
func (s *Store) Listen(ctx context.Context, channel string, heard func()) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	// The connection is closed and not returned to the pool, because it would continue to
	// listen there.
	held := conn.Hijack()
	defer func() { _ = held.Close(context.WithoutCancel(ctx)) }()
	if _, err := held.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	for {
		if _, err := held.WaitForNotification(ctx); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		heard()
	}
}
