package main

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/e2e/fixture"
)

// fillBooks inserts the charges of the larger merchant. Meanwhile no part uses the
// database, so fillBooks creates the indexes at the end, as pg_restore does: that
// takes a fraction of the time and leaves the same indexes.
func (b *bench) fillBooks(ctx context.Context, k books) {
	w, begun := b.testbed, time.Now()
	for _, part := range []string{"merchant-api", "worker"} {
		fixture.Do(w.Stack.StopPart(ctx, part))
	}
	w.filling(ctx, []string{"charges", "received_payments"}, func() {
		w.insertCharges(ctx, k.many.id(), b.sizes.among-b.sizes.few)
	})
	fixture.Reportf("%s charges were inserted in %s", thousands(b.sizes.among-b.sizes.few), time.Since(begun).Round(time.Second))
	w.upAgain(ctx)
}

// filling does something to tables that have no indexes and no trigger meanwhile.
func (w *testbed) filling(ctx context.Context, tables []string, do func()) {
	type index struct{ definition, name, constraint, table string }
	rows := fixture.Must(w.db.Query(ctx, `SELECT pg_get_indexdef(i.indexrelid), c.relname::text,
			COALESCE((SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
				FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u')), ''), i.indrelid::regclass::text
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid::regclass::text = ANY ($1)`, tables))
	indexes := fixture.Must(pgx.CollectRows(rows, func(row pgx.CollectableRow) (i index, err error) {
		return i, row.Scan(&i.definition, &i.name, &i.constraint, &i.table)
	}))
	var before, after []string
	for _, i := range indexes {
		if i.constraint == "" {
			before, after = append(before, "DROP INDEX "+i.name), append(after, i.definition)
		} else {
			before, after = append(before, "ALTER TABLE "+i.table+" DROP CONSTRAINT "+i.name), append(after, i.constraint)
		}
	}
	for _, table := range tables {
		before = append(before, "ALTER TABLE "+table+" DISABLE TRIGGER USER")
		after = append(after, "ALTER TABLE "+table+" ENABLE TRIGGER USER")
	}
	w.exec(ctx, before...)
	fixture.Finally(do, func() error { return fixture.Try(func() { w.exec(ctx, after...) }) })
	for _, table := range tables {
		w.exec(ctx, "VACUUM ANALYZE "+table)
	}
}

func (w *testbed) exec(ctx context.Context, statements ...string) {
	conn := fixture.Must(w.db.Acquire(ctx))
	defer conn.Release()
	for _, sql := range append([]string{"SET maintenance_work_mem = '1GB'", "SET synchronous_commit = off"}, statements...) {
		begun := time.Now()
		if _, err := conn.Exec(ctx, sql); err != nil {
			fixture.Failf("%s: %w", sql, err)
		}
		if took := time.Since(begun); took > 5*time.Second {
			fixture.Reportf("%s: %s", strings.Join(strings.Fields(sql), " "), took.Round(time.Second))
		}
	}
}

// insertedAtOnce is how many charges one statement inserts.
const insertedAtOnce = 500_000

// insertCharges writes rows as an old shop would have them: each paid and paid out, one a
// minute, the newest a minute ago.
func (w *testbed) insertCharges(ctx context.Context, merchantID string, to int) {
	const charges = `
		INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency,
			amount_piconero, confirm_from_piconero, status, confirmations_required, metadata, order_id, description, created_at, expires_at,
			seen_at, confirmed_at, payout_id, invoice_status)
		SELECT 'ch_' || left($1, 16) || lpad(to_hex(n), 8, '0'), $1, 'live', 'api', $2, $3 + n, 'old-' || $3 + n, 1.5, 'XMR',
			1500000000000, 1500000000000, 'confirmed', 10, '{"order_id":"A-' || n || '"}', 'A-' || n, n || ' cups of coffee', at, at + interval '1 hour',
			at + interval '1 minute', at + interval '20 minutes', 'po_old', 'Settled'
		FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series($4::int, $5::int - 1) n) old`
	const payments = `
		INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, charge_id, merchant_id, amount, outputs, height,
			mature_height, mature, first_seen_at, payout_id)
		SELECT $2, lpad(to_hex($3 + n), 64, '0'), 'fake ' || $3 + n, $3 + n, 'ch_' || left($1, 16) || lpad(to_hex(n), 8, '0'), $1, 1500000000000, 1, 1,
			11, true, now(), 'po_old'
		FROM generate_series($4::int, $5::int - 1) n`
	for from := 0; from < to; from += insertedAtOnce {
		end := min(from+insertedAtOnce, to)
		group, groupCtx := errgroup.WithContext(ctx)
		for _, insert := range []string{charges, payments} {
			group.Go(func() error {
				_, err := w.db.Exec(groupCtx, insert, merchantID, liveWallet, firstFakeIndex+w.inserted, from, end)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			fixture.Failf("insert charges: %w", err)
		}
		if to-from > insertedAtOnce {
			fixture.Reportf("%s of %s charges are inserted", thousands(end), thousands(to))
		}
	}
	w.inserted += to
}
