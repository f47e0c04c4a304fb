package main

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/workflows/dispatch"
)

type payoutsCmd struct {
	List    filterFlags `cmd:"" help:"List payouts, newest first."`
	Show    onePayout   `cmd:"" help:"Show a payout with the payments that it spends."`
	Retry   onePayout   `cmd:"" help:"Have a payout that is under way looked at now: what was built is relayed, never built again."`
	Release onePayout   `cmd:"" help:"Free the charges of a payout that can never be mined: refused for 20 minutes and now, or its inputs spent by others 10 blocks ago."`
}

// onePayout names a payout.
type onePayout struct {
	PayoutID string `arg:"" help:"Payout identifier, po_…"`
}

// row returns the payout and the row of its workflow.
func (c *onePayout) row(ctx context.Context, b *base) (db.Payout, dispatch.Row, error) {
	p, err := b.store.GetPayout(ctx, c.PayoutID)
	if err != nil {
		return p, dispatch.Row{}, fmt.Errorf("payout %s: %w", c.PayoutID, err)
	}
	return p, dispatch.Row{Kind: outbox.Payouts, ID: p.ID, MerchantID: p.MerchantID}, nil
}

// wake signals the payout's workflow, and starts one if none is running.
func (c *onePayout) wake(ctx context.Context, b *base) error {
	p, row, err := c.row(ctx, b)
	if err != nil {
		return err
	}
	if s := payout.Status(p.Status); s != payout.Building && s != payout.Broadcast {
		return fmt.Errorf("payout %s is %s: there is nothing to retry", p.ID, s)
	}
	return dispatch.Dispatcher{Client: b.temporal}.Wake(ctx, row)
}
