package pgtest

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/internal/postgres"
)

// templateLock keeps two processes from making the template at once.
const templateLock = 7_236_514

// template is named after the schema, so that a changed migration gets a new one.
func template() string { return "durapay_template_" + postgres.SchemaDigest() }

// prepare makes the template if the server has none. It is renamed only when it is
// complete, and gets no connection afterwards.
func (s *server) prepare(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.admin.String())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", template()).Scan(&exists)
	if err != nil || exists {
		return err
	}
	unfinished := template() + "_unfinished"
	if err := s.exec(ctx, "DROP DATABASE IF EXISTS "+unfinished, "CREATE DATABASE "+unfinished); err != nil {
		return err
	}
	if err := s.migrate(ctx, unfinished); err != nil {
		return err
	}
	return s.insist(ctx, fmt.Sprintf("ALTER DATABASE %s RENAME TO %s", unfinished, template()))
}

func (s *server) migrate(ctx context.Context, name string) error {
	store, err := postgres.Open(ctx, s.database(name), 2, postgres.Migrating)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Migrate(ctx)
}
