package stack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// TestAChargeIsPaidOnTheStacksChain pays a live charge twice by one command: the second run pays
// nothing. A simulated charge is refused, and the text says how it is paid.
func TestAChargeIsPaidOnTheStacksChain(t *testing.T) {
	t.Parallel()
	s := ForTest(t, Options{Parts: append(MerchantParts(), "wallet-customer")})
	require.Equal(t, config.SandboxSimulated, s.Sandbox())
	url := s.Env()["MERCHANT_URL"]
	post := func(path, key, body string, into any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Api-Key", key)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.NoError(t, json.NewDecoder(resp.Body).Decode(into))
	}
	var signed struct {
		APIKeys struct{ Production, Sandbox string }
	}
	post("/api/auth/signup", "", `{"email":"pay@example.com","password":"a long password","businessName":"Shop"}`, &signed)
	var live, test struct{ ID string }
	post("/api/charges", signed.APIKeys.Production, `{"amount":12.34,"currency":"EUR"}`, &live)
	post("/api/charges", signed.APIKeys.Sandbox, `{"amount":12.34,"currency":"EUR"}`, &test)
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }

	require.NoError(t, s.PayCharge(t.Context(), live.ID, say))
	require.Contains(t, strings.Join(said, "\n"), "Paid 0.0881")
	require.Contains(t, said[len(said)-1], live.ID+" is confirmed: "+url+"/pay/"+live.ID)
	said = nil
	require.NoError(t, s.PayCharge(t.Context(), live.ID, say))
	require.Len(t, said, 1, "it is paid already")
	require.ErrorContains(t, s.PayCharge(t.Context(), test.ID, say), "paid by its own button")
	require.ErrorContains(t, s.PayCharge(t.Context(), "ch_0123456789abcdef01234567", say), "charge not found")
}
