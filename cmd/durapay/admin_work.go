package main

import (
	"context"

	"github.com/durapay/durapay/internal/operator"
)

type paymentsCmd struct {
	Unmatched unmatchedCmd      `cmd:"" help:"List payments that belong to no charge, newest first."`
	Resolve   resolvePaymentCmd `cmd:"" help:"Note what was done about one; its alert is closed."`
	Stuck     stuckCmd          `cmd:"" help:"List what is overdue, payouts, trades and refunds that do not get on, charges without their money, wallets that are not watched."`
}

type unmatchedCmd struct {
	pageFlags
	Resolved bool `help:"Those that were resolved."`
}

// Run lists unmatched payments.
func (c *unmatchedCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.UnmatchedPayments, error) {
		return d.Unmatched(ctx, c.Resolved, c.page())
	})
}

// noted names a row that is resolved with a note.
type noted struct {
	ID   int64  `arg:"" help:"Its id in the list."`
	Note string `arg:"" help:"What was done about it."`
}

type resolvePaymentCmd struct{ noted }

// Run resolves an unmatched payment.
func (c *resolvePaymentCmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (noted, error) {
		return c.noted, d.ResolveUnmatched(ctx, admin.actor(), c.ID, c.Note)
	})
}

type stuckCmd struct{}

// Run lists stuck rows.
func (c *stuckCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Stuck, error) { return d.Stuck(ctx) })
}

type deliveriesCmd struct {
	List      deliveryListCmd `cmd:"" help:"List them, newest first."`
	Redeliver redeliverCmd    `cmd:"" help:"Send one again: the same bytes, a fresh signature."`
}

type deliveryListCmd struct {
	Limit  int32  `default:"50" help:"Rows, 1 to 200."`
	Cursor string `help:"next_cursor of the page before."`
}

// Run lists deliveries that failed or were dropped.
func (c *deliveryListCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Deliveries, error) {
		return d.Undelivered(ctx, operator.DeliveryPage{Cursor: c.Cursor, Limit: pageFlags{Limit: c.Limit}.rows()})
	})
}

type redeliverCmd struct {
	DeliveryID string `arg:"" help:"Delivery identifier, whd_…"`
}

// Run sends a delivery again.
func (c *redeliverCmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Delivery, error) {
		return d.SendAgain(ctx, admin.actor(), c.DeliveryID)
	})
}

type alertsCmd struct {
	List    alertListCmd    `cmd:"" help:"List them, newest first."`
	Resolve resolveAlertCmd `cmd:"" help:"Close one."`
}

type alertListCmd struct {
	pageFlags
	Resolved bool `help:"Those that are closed."`
}

// Run lists alerts.
func (c *alertListCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Alerts, error) { return d.Alerts(ctx, c.Resolved, c.page()) })
}

type resolveAlertCmd struct{ noted }

// Run closes an alert.
func (c *resolveAlertCmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Alert, error) {
		return d.ResolveAlert(ctx, admin.actor(), c.ID, c.Note)
	})
}

type auditCmd struct {
	pageFlags
}

// Run lists the changes that operators made.
func (c *auditCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Changes, error) { return d.Changes(ctx, c.page()) })
}
