package e2e

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/deploy/dev/stack"
)

// productionStacks are stacks of the merchants' side on Temporal's server of production.
var productionStacks = newKind(1, func() (*testbed, error) {
	return openWith(settings(map[string]string{programs.TemporalVariable: string(programs.TemporalProduction)}),
		append(stack.MerchantParts(), "temporal-ui"), nil)
})

// The server of production keeps charges as the development server does, and
// through its own death. Where it is not built the test is skipped; CI=true
// builds it.
func TestAChargeIsConfirmedOnTheServerOfProduction(t *testing.T) {
	t.Parallel()
	if _, err := programs.TemporalServer.Find(".."); errors.Is(err, programs.ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	w := productionStacks.take(t)
	s := openShop(t, w)
	c := s.charge(t, "0.1")
	s.await(t, "charge.created", c.ID)

	require.NoError(t, w.Stack.Kill("temporal"))
	require.NoError(t, w.Stack.StartPart(within(t), "temporal"))
	s.restart(t, "merchant-api") // it is ready again when it reaches Temporal
	s.pay(t, c)
	require.Equal(t, "confirmed", s.mineUntil(t, "charge.confirmed", c.ID).Status)

	// Temporal's UI is behind the worker's login.
	token, err := os.ReadFile(w.Stack.Env()["CODEC_TOKEN_FILE"])
	require.NoError(t, err)
	for shown, want := range map[string]int{"": http.StatusUnauthorized, strings.TrimSpace(string(token)): http.StatusOK} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.Stack.Env()["TEMPORAL_UI_URL"]+"/namespaces/default/workflows/charge-"+c.ID, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+shown)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, want, res.StatusCode)
	}
}
