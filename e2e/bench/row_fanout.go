package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/providerconfig"
)

const (
	// fanoutBar is what asking all may cost beyond the slowest answer.
	fanoutBar = 50 * time.Millisecond
	// fanoutSamples stay below the burst in which one provider is asked.
	fanoutSamples = 40
)

// fanoutDelays is how long each provider takes to answer.
func fanoutDelays() []time.Duration {
	return []time.Duration{20 * time.Millisecond, 60 * time.Millisecond, 100 * time.Millisecond, 150 * time.Millisecond, 200 * time.Millisecond}
}

// fanout times the list of all providers' quotes, each for another amount so
// that none comes from memory: a second instance of the API has providers that
// answer over HTTP after fixed delays.
func (b *bench) fanout(ctx context.Context) error {
	delays := fanoutDelays()
	entries := make([]providerconfig.Entry, len(delays))
	for i, delay := range delays {
		server := slowProvider(delay)
		defer server.Close()
		entries[i] = providerconfig.Entry{
			Name: fmt.Sprintf("p%d", i), Kind: "exolix", URL: server.URL, Direct: true, Risk: provider.RiskAuto, Rating: provider.RatingA,
		}
	}
	list, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "durapay-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "providers.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return err
	}
	twin, err := b.fixture.startTwin(ctx, "MERCHANT_SWAP_PROVIDERS_FILE="+file)
	if err != nil {
		return err
	}
	samples, err := b.timeFanout(ctx, twin.url, len(delays))
	if err := errors.Join(err, twin.stop()); err != nil {
		return err
	}
	slowest, half := slices.Max(delays), percentile(samples, 50)
	b.table.add(row{
		measure: fmt.Sprintf("GET /api/swap/quotes from %d providers", len(delays)),
		value:   spread(samples), reference: "the slowest answers after " + short(slowest),
		ratio: ratioText(quotient(half, slowest)), bar: "p50 ≤ slowest + " + short(fanoutBar), met: half <= slowest+fanoutBar,
	})
	return nil
}

func (b *bench) timeFanout(ctx context.Context, base string, providers int) ([]time.Duration, error) {
	var samples []time.Duration
	for n := range fanoutSamples {
		begun := time.Now()
		count, err := b.fixture.countQuotes(ctx, fmt.Sprintf("%s/api/swap/quotes?to=ltc&amount=1.%03d", base, n+1))
		if err != nil {
			return nil, err
		}
		if count != providers {
			return nil, fmt.Errorf("%d of %d providers have quoted", count, providers)
		}
		samples = append(samples, time.Since(begun))
	}
	return samples, nil
}

func (w *fixture) countQuotes(ctx context.Context, url string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	res, err := w.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("quotes: status %d", res.StatusCode)
	}
	var list struct {
		Quotes []json.RawMessage `json:"quotes"`
	}
	err = json.NewDecoder(res.Body).Decode(&list)
	return len(list.Quotes), err
}

// slowProvider answers in Exolix's shape after a delay.
func slowProvider(delay time.Duration) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if pause(r.Context(), delay) != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"fromAmount":1.5,"toAmount":2.95,"rate":1.966,"message":null,"minAmount":0.07,"withdrawMin":0.0001,"maxAmount":250.5}`)
	}))
}
