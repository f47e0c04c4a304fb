package main

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/workflows"
)

const (
	// pruneBar is how long a transaction may hold its locks while old charges
	// are removed.
	pruneBar = time.Second
	// pruneTime bounds the whole run.
	pruneTime = 10 * time.Minute
	// firstPrunedIndex is above the subaddresses of every other row here.
	firstPrunedIndex = 100_000_000
)

// pruning removes many old charges while a client makes new ones, and watches
// how long any transaction lasts.
func (b *bench) pruning(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pruneTime)
	defer cancel()
	s, err := b.fixture.openShop(ctx, nil)
	if err != nil {
		return err
	}
	if err := b.insertOld(ctx, s.id); err != nil {
		return err
	}
	calm, err := times(ctx, b.sizes.creations, b.crowd.post)
	if err != nil {
		return err
	}
	watched, stop := context.WithCancel(ctx)
	longest := make(chan time.Duration, 1)
	go func() { longest <- b.longestTransaction(watched) }()
	begun := time.Now()
	busy, err := b.createWhilePruning(ctx, s.id)
	took := time.Since(begun)
	stop()
	held := <-longest
	if err != nil {
		return err
	}
	b.table.add(row{
		measure: fmt.Sprintf("pruning %s charges", thousands(b.sizes.old)),
		value:   fmt.Sprintf("%s, longest transaction %s", perSecond(float64(b.sizes.old)/took.Seconds()), short(held)),
		bar:     fmt.Sprintf("no lock over %s", pruneBar), met: held <= pruneBar,
	})
	b.table.add(row{
		measure: "POST /api/charges meanwhile", value: spread(busy), reference: "before: " + spread(calm),
		ratio: ratioText(quotient(percentile(busy, 50), percentile(calm, 50))) + " (p50)",
	})
	return nil
}

// createWhilePruning starts the retention and makes charges, one after the
// other, until nothing old is left.
func (b *bench) createWhilePruning(ctx context.Context, merchantID string) ([]time.Duration, error) {
	temporal, err := client.Dial(client.Options{
		HostPort: b.fixture.urls["TEMPORAL_ADDRESS"], Namespace: b.fixture.urls["TEMPORAL_NAMESPACE"],
	})
	if err != nil {
		return nil, err
	}
	defer temporal.Close()
	handle := temporal.ScheduleClient().GetHandle(ctx, workflows.RetentionWorkflowID)
	if err := handle.Trigger(ctx, client.ScheduleTriggerOptions{}); err != nil {
		return nil, err
	}
	var samples []time.Duration
	for left := true; left; {
		// Not more often than the pool of addresses allows.
		took, err := times(ctx, 1, b.crowd.post)
		if err != nil {
			return nil, err
		}
		samples = append(samples, took...)
		if err := pause(ctx, time.Second); err != nil {
			return nil, fmt.Errorf("old charges are left: %w", err)
		}
		err = b.fixture.db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM charges WHERE merchant_id = $1)", merchantID).Scan(&left)
		if err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// longestTransaction watches the services' connections until ctx ends. What a
// transaction has locked it holds until its end.
func (b *bench) longestTransaction(ctx context.Context) (longest time.Duration) {
	for {
		var seconds float64
		err := b.fixture.db.QueryRow(ctx, `
			SELECT COALESCE(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 FROM pg_stat_activity
			WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&seconds)
		if err == nil {
			longest = max(longest, time.Duration(seconds*float64(time.Second)))
		}
		if pause(ctx, 20*time.Millisecond) != nil {
			return longest
		}
	}
}

// insertOld writes charges of forty days ago, every other one paid and paid
// out, with one event each.
func (b *bench) insertOld(ctx context.Context, merchantID string) error {
	begun := time.Now()
	payout := "po_" + merchantID[:24]
	for _, insert := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate,
				charges_paid, outputs, tx_hash, created_at, sent_at, confirmed_at)
			SELECT $1, $2, $3, 'confirmed', '', '', 1, 0, 1, 1, $1, a.at - interval '2 hours', a.at - interval '1 hour', a.at
			FROM now() a (at)`, []any{payout, merchantID, liveWallet}},
		{`INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency,
				amount_piconero, confirm_from_piconero, status, confirmations_required, metadata, created_at, expires_at,
				confirmed_at, payout_id)
			SELECT 'ch_' || left($1, 16) || lpad(to_hex(n), 8, '0'), $1, 'live', 'api', $2, $3 + n, 'old-' || n, 1.5, 'XMR',
				1500000000000, 1500000000000, CASE WHEN n % 2 = 0 THEN 'expired' ELSE 'confirmed' END, 10,
				'{"order_id":"A-' || n || '"}', at, old.at, CASE WHEN n % 2 = 1 THEN at END, CASE WHEN n % 2 = 1 THEN $4 END
			FROM (SELECT n, now() - interval '40 days' - n * interval '1 second' AS at FROM generate_series(1, $5::int) n) old`,
			[]any{merchantID, liveWallet, firstPrunedIndex, payout, b.sizes.old}},
		{`INSERT INTO received_payments (wallet_id, tx_hash, subaddress_index, charge_id, merchant_id, amount, outputs, height,
				mature_height, mature, first_seen_at, payout_id)
			SELECT $2, 'old-' || n, $3 + n, 'ch_' || left($1, 16) || lpad(to_hex(n), 8, '0'), $1, 1500000000000, 1, 1,
				11, true, now(), $4
			FROM generate_series(1, $5::int, 2) n`, []any{merchantID, liveWallet, firstPrunedIndex, payout, b.sizes.old}},
		{`INSERT INTO events (merchant_id, mode, type, resource_id, payload, created_at)
			SELECT $1, 'live', 'charge.created', 'ch_' || left($1, 16) || lpad(to_hex(n), 8, '0'), '{}', now() - interval '40 days'
			FROM generate_series(1, $2::int) n`, []any{merchantID, b.sizes.old}},
	} {
		if _, err := b.fixture.db.Exec(ctx, insert.sql, insert.args...); err != nil {
			return fmt.Errorf("insert old charges: %w", err)
		}
	}
	for _, table := range []string{"charges", "received_payments", "events"} {
		if _, err := b.fixture.db.Exec(ctx, "VACUUM ANALYZE "+table); err != nil {
			return fmt.Errorf("vacuum %s: %w", table, err)
		}
	}
	progressf("%s old charges were inserted in %s", thousands(b.sizes.old), time.Since(begun).Round(time.Second))
	return nil
}

func (b *bench) pruneAddresses() int { return b.sizes.creations + int(pruneTime.Seconds()) }
