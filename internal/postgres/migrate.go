package postgres

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// lockPause is how long sessions that waited behind a migration may continue before
// it tries again.
const lockPause = time.Second

// Migrate brings the schema up to date. Several processes may call it at the same
// time: an advisory lock lets only one of them work. A migration that waits too long
// for a lock (Migrating) lets other sessions pass and tries again.
func (s *Store) Migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	conn := stdlib.OpenDBFromPool(s.pool)
	defer func() { _ = conn.Close() }() // its pool stays open
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, files, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	for {
		_, err := provider.Up(ctx)
		if err == nil {
			return nil
		}
		if !hasCode(err, lockTimeout) || !waited(ctx, lockPause) {
			return fmt.Errorf("migrations: %w", err)
		}
	}
}

// SchemaDigest returns a short code that changes with the text of any
// migration.
func SchemaDigest() string {
	sum := sha256.New()
	files, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is valid
	for _, name := range files {
		text, _ := migrations.ReadFile(name) // the file is embedded, so it exists
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
