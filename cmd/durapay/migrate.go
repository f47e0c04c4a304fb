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
	cfg, err := config.Load()
	if err != nil {
		return err
	}
	store, err := postgres.Open(ctx, cfg.DatabaseURL, cfg.DatabaseConns, postgres.Migrating)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Migrate(ctx)
}
