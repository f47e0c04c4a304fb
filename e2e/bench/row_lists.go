package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// listsBar is how much longer reads may take among many more charges.
const listsBar = 1.2

// firstFakeIndex is far above the subaddresses that the wallet makes.
const firstFakeIndex = 10_000_000

// reads are the times of the two ways to read charges.
type reads struct{ list, lookup []time.Duration }

// lists compares reads of one merchant's charges when there are few and when
// there are many.
func (b *bench) lists(ctx context.Context) error {
	s, err := b.fixture.openShop(ctx, nil)
	if err != nil {
		return err
	}
	few, err := b.readAmong(ctx, s, 0, b.sizes.few)
	if err != nil {
		return err
	}
	many, err := b.readAmong(ctx, s, b.sizes.few, b.sizes.many)
	if err != nil {
		return err
	}
	b.addReads("GET /api/charges", many.list, few.list)
	b.addReads("GET /api/charges/:id", many.lookup, few.lookup)
	return nil
}

func (b *bench) addReads(what string, many, few []time.Duration) {
	ratio := quotient(percentile(many, 50), percentile(few, 50))
	b.table.add(row{
		measure: fmt.Sprintf("%s among %s", what, thousands(b.sizes.many)), value: spread(many),
		reference: fmt.Sprintf("among %s: %s", thousands(b.sizes.few), spread(few)),
		ratio:     ratioText(ratio) + " (p50)", bar: fmt.Sprintf("p50 ≤ %.1f times", listsBar), met: ratio <= listsBar,
	})
}

// readAmong adds charges to the shop until there are so many, and reads.
func (b *bench) readAmong(ctx context.Context, s *shop, have, want int) (reads, error) {
	begun := time.Now()
	if err := b.insertCharges(ctx, s.id, have, want); err != nil {
		return reads{}, err
	}
	progressf("%s charges were inserted in %s", thousands(want-have), time.Since(begun).Round(time.Second))
	list := func(ctx context.Context, _ int64) error {
		return b.fixture.get(ctx, s.BaseURL+"/api/charges", s.APIKey)
	}
	lookup := func(ctx context.Context, _ int64) error {
		id := fakeID(s.id, rand.IntN(want)) //nolint:gosec // no secret
		return b.fixture.get(ctx, s.BaseURL+"/api/charges/"+id, s.APIKey)
	}
	var r reads
	for _, one := range []struct {
		do      work
		samples *[]time.Duration
	}{{list, &r.list}, {lookup, &r.lookup}} {
		if _, err := times(ctx, b.sizes.reads/4, one.do); err != nil { // into the caches
			return r, err
		}
		var err error
		if *one.samples, err = times(ctx, b.sizes.reads, one.do); err != nil {
			return r, err
		}
	}
	return r, nil
}

// fakeID is the ID of a charge that insertCharges made.
func fakeID(merchantID string, n int) string { return fmt.Sprintf("ch_%s%08x", merchantID[:16], n) }

// insertCharges writes rows as an old shop would have them: each paid and paid
// out, one a minute, the newest a minute ago.
func (b *bench) insertCharges(ctx context.Context, merchantID string, from, to int) error {
	const charges = `
		INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency,
			amount_piconero, confirm_from_piconero, status, confirmations_required, metadata, created_at, expires_at,
			seen_at, confirmed_at, payout_id)
		SELECT 'ch_' || left($1, 16) || lpad(to_hex(n), 8, '0'), $1, 'live', 'api', $2, $3 + n, 'old-' || n, 1.5, 'XMR',
			1500000000000, 1500000000000, 'confirmed', 10, '{"order_id":"A-' || n || '"}', at, at + interval '1 hour',
			at + interval '1 minute', at + interval '20 minutes', 'po_old'
		FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series($4::int, $5::int - 1) n) old`
	const payments = `
		INSERT INTO received_payments (wallet_id, tx_hash, subaddress_index, charge_id, merchant_id, amount, outputs, height,
			mature_height, mature, first_seen_at, payout_id)
		SELECT $2, 'old-' || n, $3 + n, 'ch_' || left($1, 16) || lpad(to_hex(n), 8, '0'), $1, 1500000000000, 1, 1,
			11, true, now(), 'po_old'
		FROM generate_series($4::int, $5::int - 1) n`
	// Other rows insert such charges too.
	var index int64
	if err := b.fixture.db.QueryRow(ctx, "SELECT greatest($1, max(subaddress_index) + 1) FROM charges WHERE wallet_id = $2",
		firstFakeIndex, liveWallet).Scan(&index); err != nil {
		return fmt.Errorf("insert charges: %w", err)
	}
	for _, insert := range []string{charges, payments} {
		if _, err := b.fixture.db.Exec(ctx, insert, merchantID, liveWallet, index, from, to); err != nil {
			return fmt.Errorf("insert charges: %w", err)
		}
	}
	for _, table := range []string{"charges", "received_payments"} {
		if _, err := b.fixture.db.Exec(ctx, "VACUUM ANALYZE "+table); err != nil {
			return fmt.Errorf("vacuum %s: %w", table, err)
		}
	}
	return nil
}
