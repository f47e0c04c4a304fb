package merchant_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
)

// TestASimulatedChainIsReadToItsEnd checks this no matter how many blocks were added between two
// scans.
func TestASimulatedChainIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	s := setup(t, isSimulated(t)).simulatedShop(t)
	id := s.send(t, http.MethodPost, "/api/charges", key(s.shop.test), `{"amount":2,"currency":"XMR"}`).require(t, http.StatusOK).text(t, "id")
	for range 20 {
		require.NoError(t, s.store.SimulateBlocks(t.Context(), id, 720))
	}
	require.NoError(t, s.store.SimulatePayment(t.Context(), id, 2*money.OneXMR, 10, s.clock.Now()))
	for range 3 {
		s.look()
	}
	require.Equal(t, rowsOf[int64](t, s.bench, "SELECT height FROM simulated_chains"), rowsOf[int64](t, s.bench, "SELECT chain_height FROM chains WHERE id LIKE 'simulated-%'"))
	require.Equal(t, "confirmed", s.send(t, http.MethodGet, "/api/charges/"+id, key(s.shop.test), "").text(t, "status"))
}

// TestADeepReorganizationOfASimulatedChain checks that a deep reorganization is handled like any
// other.
func TestADeepReorganizationOfASimulatedChain(t *testing.T) {
	t.Parallel()
	s := setup(t, isSimulated(t)).simulatedShop(t)
	id := s.paid(t, "2")
	for range 6 {
		require.NoError(t, s.store.SimulateBlocks(t.Context(), id, 720))
		s.look()
	}
	require.NoError(t, s.store.SimulateReorganization(t.Context(), id, false))
	s.look()
	s.look()
	require.Equal(t, []string{"true"}, rowsOf[string](t, s.bench, "SELECT (height IS NULL)::text FROM received_payments"))
	require.Equal(t, []string{"0"}, rowsOf[string](t, s.bench, "SELECT count(*)::text FROM simulated_chains WHERE changed > scanned"))
}
