package merchant_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// serve answers a request like the server, but without the network.
func serve(b *testing.B, handler http.Handler, req *http.Request) {
	b.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		b.Fatal(w.Body)
	}
}

// BenchmarkPublicCharge measures how long it takes to read a charge as its customer.
func BenchmarkPublicCharge(b *testing.B) {
	s := setup(b)
	path := "/api/charges/" + s.charge(b, s.signup(b), config.Live) + "/public"
	b.ReportAllocs()
	for b.Loop() {
		serve(b, s.handler, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	}
}

// BenchmarkCreateCharge measures how long it takes to create a charge with a key.
func BenchmarkCreateCharge(b *testing.B) {
	s := setup(b)
	live := s.signup(b).live
	s.addAddresses(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		req := httptest.NewRequest(http.MethodPost, "/api/charges", io.NopCloser(strings.NewReader(`{"amount":0.01,"currency":"XMR"}`)))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Api-Key", live)
		serve(b, s.handler, req)
	}
}

// addAddresses gives the live wallet more addresses, all within its witness's lease.
func (b *bench) addAddresses(tb testing.TB, n int) {
	tb.Helper()
	_, err := b.store.Pool().Exec(tb.Context(), `INSERT INTO addresses (wallet_id, subaddress_index, address)
		SELECT 'live-1', n, 'live-1 address ' || n FROM generate_series($1, $1 + $2::integer) n`, addresses+1, n)
	require.NoError(tb, err)
	_, err = b.store.Pool().Exec(tb.Context(), "UPDATE witnesses SET addresses = $1, lease_to = $1 WHERE wallet_id = 'live-1'", addresses+n+1)
	require.NoError(tb, err)
	_, err = b.store.Pool().Exec(tb.Context(), "UPDATE merchants SET pending_charges_max = 10000000")
	require.NoError(tb, err)
}
