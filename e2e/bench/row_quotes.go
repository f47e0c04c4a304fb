package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

const (
	// quoteBar is the share of the rate of a handler that only answers.
	quoteBar     = 0.75
	quoteClients = 8
)

// serveAnswer is the reference of a quote: a handler on the same server that
// answers a fixed body, which it reads first.
func serveAnswer(ctx context.Context, body string) error {
	return serveReference(ctx, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body) //nolint:gosec // the bench's own text, which no browser shows
	}))
}

// quotes compares quotes per second with a handler that answers the same.
func (b *bench) quotes(ctx context.Context) error {
	query := clients.Pair{From: fixture.Litecoin, To: fixture.Monero}.Query(money.MustDecimal(tradeLTC)).Encode()
	body, err := b.exchange.read(ctx, "/api/v1/new_rate?"+query)
	if err != nil {
		return err
	}
	answer, err := startChild(ctx, "answer", body)
	if err != nil {
		return err
	}
	bare := func(ctx context.Context, _ int64) error { return b.exchange.get(ctx, answer.says+"/?"+query, "") }
	ours := func(ctx context.Context, _ int64) error {
		return b.exchange.get(ctx, b.exchange.URLs["SWAP_URL"]+"/api/v1/new_rate?"+query, "")
	}
	c, err := b.sizes.inTurns(ctx, quoteClients, nil, bare, ours)
	if err := errors.Join(err, answer.stop()); err != nil {
		return err
	}
	b.table.add(c.row(fmt.Sprintf("GET /api/v1/new_rate, %d clients", quoteClients), "a fixed answer", 0, quoteBar))
	return nil
}

// read is the body of an answer of the exchange.
func (m *exchange) read(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.URLs["SWAP_URL"]+path, http.NoBody)
	if err != nil {
		return "", err
	}
	resp, err := m.http.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", path, resp.StatusCode, body)
	}
	return string(body), err
}
