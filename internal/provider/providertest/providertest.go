// Package providertest contains a swap of tests, and an HTTP server in the test that sends
// a provider's recorded answers.
package providertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
)

// The values of the tests' order: 1.5 XMR for LTC.
const (
	Amount  = "1.5"
	Deposit = "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H"
	Payout  = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	Refund  = "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A"
)

// Request returns a request for a quote of the tests' swap.
func Request(t *testing.T) provider.Request {
	t.Helper()
	from, ok := coin.Lookup("xmr", "Mainnet")
	require.True(t, ok)
	to, ok := coin.Lookup("ltc", "Mainnet")
	require.True(t, ok)
	return provider.Request{From: from, To: to, Amount: money.MustDecimal(Amount)}
}

// Order returns an order of the tests' swap.
func Order(t *testing.T) provider.Order {
	t.Helper()
	return provider.Order{Request: Request(t), Address: Payout, Refund: Refund}
}

// Serve starts a server and returns a client for it.
func Serve(tb testing.TB, handler http.HandlerFunc) *adapter.Client {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return Client(server.URL, time.Minute)
}

// Client returns a client for a server of the test.
func Client(url string, timeout time.Duration) *adapter.Client {
	policy := outbound.Policy{AllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	return &adapter.Client{
		HTTP: outbound.NewDirect(policy, outbound.Options{Timeout: timeout}), Base: url, UserAgent: "Mozilla/5.0 (of the tests)",
	}
}

// Answer returns a handler that writes a status and a body.
func Answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}
