package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/e2e/books"
)

// stranded finds the rows that are not final, wait for nothing and have no time at which
// something happens to them; or that time is over for a minute.
const stranded = `
SELECT 'charge' AS what, id, status || ' after its end' AS why FROM charges WHERE status = 'pending' AND expires_at < $1
UNION ALL
SELECT 'wakeup', id, 'Temporal does not have it' FROM wakeups WHERE since < $1
UNION ALL
SELECT 'delivery', id, 'it is due' FROM deliveries WHERE status = 'pending' AND COALESCE(next_attempt_at, '-infinity') < $1
UNION ALL
SELECT 'event of a trade', id::text, 'it is due' FROM trade_events WHERE delivery = 'pending' AND COALESCE(next_attempt_at, '-infinity') < $1
UNION ALL
SELECT 'payout', p.id, status FROM payouts p WHERE status = 'building' AND created_at < $1
UNION ALL
SELECT 'claim', id, 'it waits for nothing' FROM refund_claims WHERE status = 'awaiting_payment' AND waits_for IS NULL AND next_at < $1
UNION ALL
SELECT 'claim', id, 'no payout pays it' FROM refund_claims k WHERE status = 'in_progress'
	AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.claim_id = k.id AND p.status <> 'failed')
UNION ALL
SELECT 'trade', id, status || ' after its end' FROM trades WHERE status = 'awaiting_deposit' AND expires_at < $1
UNION ALL
SELECT 'payment of a trade', id::text, 'no transaction makes it' FROM trade_payments WHERE transaction_id IS NULL AND reason IS NULL AND created_at < $1
UNION ALL
SELECT 'transaction', id::text, state FROM outgoing_transactions WHERE state IN ('building', 'built') AND created_at < $1`

// rows counts what nothing moves any more.
func (c *counter) rows(ctx context.Context) error {
	conn, err := c.testbed.database(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var minuteAgo any
	if err := conn.QueryRow(ctx, "SELECT now() - interval '1 minute'").Scan(&minuteAgo); err != nil {
		return err
	}
	found, err := conn.Query(ctx, stranded, minuteAgo)
	if err != nil {
		return err
	}
	var what, id, why string
	_, err = pgx.ForEachRow(found, []any{&what, &id, &why}, func() error {
		c.addf(books.Stranded, id, "%s: %s", what, why)
		return nil
	})
	return err
}
