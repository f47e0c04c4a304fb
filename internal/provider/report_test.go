package provider_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
)

// tally counts outcomes by provider.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *tally) add(name, outcome string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name+" "+outcome]++
}

// TestProvidersThatFailAreCountedAndLogged asks one provider that fails, one
// that refuses the amount and one that quotes, twice each. Every answer must be
// counted, and the failure must be logged only once. The log must not contain
// the provider's address or text.
func TestProvidersThatFailAreCountedAndLogged(t *testing.T) {
	t.Parallel()
	failing := providertest.Serve(t, providertest.Answer(http.StatusBadGateway, `{"message":"account 4711 of a@b.example is closed"}`))
	named := func(name string, answers http.HandlerFunc) provider.Provider {
		return adapter.Exolix(providertest.Serve(t, answers), provider.Profile{Name: name, Rating: provider.RatingC})
	}
	b := provider.NewFanout([]provider.Provider{
		adapter.Exolix(failing, provider.Profile{Name: "down", Rating: provider.RatingC}),
		named("picky", providertest.Answer(http.StatusUnprocessableEntity, `{"minAmount":1000}`)),
		named("quick", providertest.Answer(http.StatusOK, `{"toAmount":2}`)),
	}, provider.FanoutOptions{MaxWait: time.Minute, PerSecond: 1, Burst: 2, Now: func() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) }})
	counted := tally{counts: map[string]int{}}
	var lines bytes.Buffer
	b.Report(counted.add, slog.New(slog.NewJSONHandler(&lines, nil)))
	for amount := range int64(3) {
		request := providertest.Request(t)
		request.Amount = money.DecimalFromInt(amount + 1)
		b.Ask(t.Context(), request, false, all)
	}
	require.Equal(t, map[string]int{
		"down unavailable": 2, "picky below_min": 2, "quick ok": 2, "down not_asked": 1, "picky not_asked": 1, "quick not_asked": 1,
	}, counted.counts)
	text := lines.String()
	require.Equal(t, 1, strings.Count(text, "\n"), text)
	for _, part := range []string{`"level":"WARN"`, `"provider":"down"`, `"outcome":"unavailable"`, "status 502"} {
		require.Contains(t, text, part)
	}
	for _, part := range []string{"4711", "example", "127.0.0.1", "http"} {
		require.NotContains(t, text, part)
	}
}
