package main

import (
	"context"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
)

// migrateCmd updates the database schema.
type migrateCmd struct{}

// Run applies the missing migrations.
func (c *migrateCmd) Run(ctx context.Context) error {
	return withStore(ctx, postgres.Migrating, func(_ config.Config, store *postgres.Store) error { return store.Migrate(ctx) })
}
