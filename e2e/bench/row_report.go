package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// reportBar is how much more memory the API may hold while it writes a report,
// in MiB.
const reportBar = 100

// reports reads a report of many charges as CSV and watches the API's memory.
func (b *bench) reports(ctx context.Context) error {
	s, err := b.fixture.openShop(ctx, nil)
	if err != nil {
		return err
	}
	if err := b.insertLedger(ctx, s.id); err != nil {
		return err
	}
	pid := b.fixture.stack.Env()["PID_MERCHANT_API"]
	idle, err := resident(pid)
	if err != nil {
		return err
	}
	watched, stop := context.WithCancel(ctx)
	highest := make(chan int, 1)
	go func() { highest <- peak(watched, pid) }()
	begun := time.Now()
	lines, err := s.report(ctx)
	took := time.Since(begun)
	stop()
	grown := <-highest - idle
	if err == nil && lines != b.sizes.old+1 {
		err = fmt.Errorf("the report has %d lines", lines)
	}
	if err != nil {
		return err
	}
	b.table.add(row{
		measure:   fmt.Sprintf("CSV report of %s charges", thousands(b.sizes.old)),
		value:     perSecond(float64(lines)/took.Seconds()) + fmt.Sprintf(", %+d MiB", grown),
		reference: fmt.Sprintf("API at idle %d MiB", idle), bar: fmt.Sprintf("≤ +%d MiB", reportBar), met: grown <= reportBar,
	})
	return nil
}

// peak is the most memory that a process holds until ctx ends.
func peak(ctx context.Context, pid string) (most int) {
	for {
		if mib, err := resident(pid); err == nil {
			most = max(most, mib)
		}
		if pause(ctx, 50*time.Millisecond) != nil {
			return most
		}
	}
}

// report reads the whole CSV and counts its lines.
func (s *shop) report(ctx context.Context) (lines int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		s.BaseURL+"/api/v1/reports/transactions?format=csv&from=2000-01-01T00:00:00Z", http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Api-Key", s.APIKey)
	resp, err := s.fixture.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("report: status %d", resp.StatusCode)
	}
	body := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		switch _, err := body.ReadSlice('\n'); {
		case err == nil:
			lines++
		case errors.Is(err, io.EOF):
			return lines, nil
		default:
			return lines, err
		}
	}
}

// insertLedger writes what many confirmed charges leave behind, and turns
// reports on.
func (b *bench) insertLedger(ctx context.Context, merchantID string) error {
	for _, sql := range []string{
		`INSERT INTO ledger (charge_id, merchant_id, mode, created_at, confirmed_at, amount, currency, amount_piconero,
			received_piconero, order_id, fiat_value, fiat_currency, fiat_rate)
		SELECT 'ch_' || left($1, 15) || '9' || lpad(to_hex(n), 8, '0'), $1, 'live', at, old.at, 1.5, 'XMR', 1500000000000,
			1500000000000, 'A-' || n, 225, 'USD', 150
		FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, $2::int) n) old`,
		`UPDATE merchants SET reporting_enabled = true WHERE merchant_id = $1 AND $2::int > 0`,
	} {
		if _, err := b.fixture.db.Exec(ctx, sql, merchantID, b.sizes.old); err != nil {
			return fmt.Errorf("insert ledger: %w", err)
		}
	}
	_, err := b.fixture.db.Exec(ctx, "VACUUM ANALYZE ledger")
	return err
}
