package main

import (
	"context"
	"errors"
	"fmt"
)

const (
	// publicBar is the share of a bare handler's rate.
	publicBar     = 0.7
	publicClients = 8
	publicCharges = 100
)

// publicReads compares the public view of a charge with a handler that reads
// the row and nothing else.
func (b *bench) publicReads(ctx context.Context) error {
	charges, err := b.crowd.charges(ctx, publicCharges)
	if err != nil {
		return err
	}
	reader, err := startChild(ctx, "reader", b.testbed.URLs["DATABASE_URL"])
	if err != nil {
		return err
	}
	id := func(n int64) string { return charges[n%publicCharges].ID }
	bare := func(ctx context.Context, n int64) error {
		return b.testbed.get(ctx, reader.says+"/charges/"+id(n), "")
	}
	ours := func(ctx context.Context, n int64) error {
		return b.testbed.get(ctx, b.crowd.BaseURL+"/api/charges/"+id(n)+"/public", "")
	}
	c, err := b.sizes.inTurns(ctx, publicClients, b.started, bare, ours)
	if err := errors.Join(err, reader.stop()); err != nil {
		return err
	}
	b.table.add(c.row(fmt.Sprintf("GET /api/charges/:id/public, %d clients", publicClients), "net/http and pgx alone", 0, publicBar))
	return nil
}
