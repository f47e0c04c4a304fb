package main

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

type payoutsCmd struct {
	List    listPayoutsCmd   `cmd:"" help:"List payouts, newest first."`
	Show    showPayoutCmd    `cmd:"" help:"Show a payout with the payments that it spends."`
	Retry   retryPayoutCmd   `cmd:"" help:"Have a payout that is under way looked at now: what was built is relayed, never built again."`
	Release releasePayoutCmd `cmd:"" help:"Free the charges of a payout that can never be mined: refused for 20 minutes and now, or its inputs spent by others 10 blocks ago."`
}

type listPayoutsCmd struct {
	Status *string `enum:"building,broadcast,confirmed,failed" help:"Only payouts with this status."`
	Limit  int32   `default:"50" help:"Rows, 1 to 200."`
}

// Run lists payouts.
func (c *listPayoutsCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Payouts, error) {
		return d.Payouts(ctx, c.Status, pageFlags{Limit: c.Limit}.rows())
	})
}

type onePayout struct {
	PayoutID string `arg:"" help:"Payout identifier, po_…"`
}

func (c onePayout) show(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.WholePayout, error) { return d.Payout(ctx, c.PayoutID) })
}

type showPayoutCmd struct{ onePayout }

// Run shows one payout.
func (c *showPayoutCmd) Run(ctx context.Context) error { return c.show(ctx) }

type retryPayoutCmd struct{ onePayout }

// Run signals the payout's workflow, and starts one if none is running.
func (c *retryPayoutCmd) Run(ctx context.Context) error {
	b, err := openBase(ctx, "durapay-admin")
	if err != nil {
		return err
	}
	defer b.close()
	p, err := b.store.GetPayout(ctx, c.PayoutID)
	if err != nil {
		return fmt.Errorf("payout %s: %w", c.PayoutID, err)
	}
	if s := payout.Status(p.Status); s != payout.Building && s != payout.Broadcast {
		return fmt.Errorf("payout %s is %s: there is nothing to retry", p.ID, s)
	}
	row := dispatch.Row{Kind: outbox.Payouts, ID: p.ID, MerchantID: p.MerchantID}
	if err := (dispatch.Dispatcher{Client: b.temporal}).Wake(ctx, row); err != nil {
		return err
	}
	return c.show(ctx)
}

type releasePayoutCmd struct{ onePayout }

// Run sends an update to the payout's workflow, so that the workflow does not relay the
// abandoned transaction.
func (c *releasePayoutCmd) Run(ctx context.Context, admin *adminCmd) error {
	b, err := openBase(ctx, "durapay-admin")
	if err != nil {
		return err
	}
	defer b.close()
	p, err := b.store.GetPayout(ctx, c.PayoutID)
	if err != nil {
		return fmt.Errorf("payout %s: %w", c.PayoutID, err)
	}
	row := dispatch.Row{Kind: outbox.Payouts, ID: p.ID, MerchantID: p.MerchantID}
	release := dispatch.Update{Name: workflows.ReleaseUpdate, Args: []any{workflows.ReleasePayout{Actor: string(admin.actor())}}}
	if err := (dispatch.Dispatcher{Client: b.temporal}).Ask(ctx, row, release, nil); err != nil {
		return err
	}
	return c.show(ctx)
}
