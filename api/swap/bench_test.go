package swap_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/operator"
)

// BenchmarkNewRate measures one quote on the server, without the network.
func BenchmarkNewRate(b *testing.B) {
	handler := setup(b, nil).handler
	req := httptest.NewRequest(http.MethodGet, "/api/v1/new_rate?"+asked().Encode(), http.NoBody)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}

// create creates a trade as the server does, without the network, and returns its identifier.
func (b *bench) create(tb testing.TB, key string) string {
	tb.Helper()
	req := httptest.NewRequest(http.MethodGet, "/api/v1/new_trade?"+tradeQuery("amount_from", "0.05", "note", "a note").Encode(), http.NoBody)
	req.Header.Set("Idempotency-Key", key)
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, req)
	require.Equal(tb, http.StatusCreated, w.Code, w.Body)
	return answer{body: w.Body.String()}.object(tb)["trade_id"].(string)
}

// reportQueries reports the number of database queries for one operation.
func reportQueries(b *testing.B, s *bench, before int64) {
	b.Helper()
	b.ReportMetric(float64(s.store.Pool().Stat().AcquireCount()-before)/float64(b.N), "queries/op")
}

// BenchmarkNewTrade measures one creation, while Temporal is sent its wakeups.
func BenchmarkNewTrade(b *testing.B) {
	s := setupWithTemporal(b)
	s.publish(b, "xmr", 100, 10_000)
	_, err := s.store.Pool().Exec(b.Context(), "UPDATE witnesses SET addresses = 100000, lease_to = 100000")
	require.NoError(b, err)
	for n := 0; b.Loop(); n++ {
		s.create(b, fmt.Sprint("creation ", n))
	}
}

// BenchmarkTrade measures one lookup.
func BenchmarkTrade(b *testing.B) {
	s := setupWithTemporal(b)
	req := httptest.NewRequest(http.MethodGet, "/api/v1/trade?id="+s.create(b, "one"), http.NoBody)
	before := s.store.Pool().Stat().AcquireCount()
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, req)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
	reportQueries(b, s, before)
}

// BenchmarkListOfTrades measures the operators' list of 30 trades.
func BenchmarkListOfTrades(b *testing.B) {
	s := setupWithTemporal(b)
	for n := range 30 {
		s.create(b, fmt.Sprint("listed ", n))
	}
	quoter := &operator.Admin{Store: s.store, Box: s.box}
	before := s.store.Pool().Stat().AcquireCount()
	b.ReportAllocs()
	for b.Loop() {
		list, err := quoter.Trades(b.Context(), "", operator.TimePage{Limit: 200})
		if err != nil || len(list.Trades) != 30 {
			b.Fatal(len(list.Trades), err)
		}
	}
	reportQueries(b, s, before)
}
