package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/sanctions"
)

// The worker reads the sanctions list when it starts, so that a stack has one
// as soon as it is up; operators see it with the command line.
func TestSanctionsListIsInForceAfterStart(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	url := w.Stack.Env()["DATABASE_URL"]
	store, err := postgres.Open(t.Context(), url, 2, postgres.ByHand)
	require.NoError(t, err)
	t.Cleanup(store.Close)
	register := sanctions.Register{Store: store}
	require.Eventually(t, func() bool {
		listed, err := register.Sanctioned(t.Context(), "rltc1qzsmfjtj8dy83dvjqr5dhrnhty7ktmwmetpzums")
		return err == nil && listed
	}, maxWait, 100*time.Millisecond)
	listed, err := register.Sanctioned(t.Context(), "0x4EDE683A5533E0BE5B106B3BA54DF220C1438164", "somebody else")
	require.NoError(t, err)
	require.True(t, listed)

	status, err := w.admin(t, "sanctions", "status")
	require.NoError(t, err, status)
	require.Contains(t, status, "in_force: 10 addresses, issued on a day that it does not tell")
	accepted, err := w.admin(t, "sanctions", "accept")
	require.Error(t, err)
	require.Contains(t, accepted, sanctions.ErrNothingRefused.Error())
	checked, err := w.admin(t, "sanctions", "check", "../deploy/dev/sanctions.xml")
	require.NoError(t, err, checked)
	require.Contains(t, checked, "LTC      3\n")
}

// admin runs a command of operators. On an error it returns the error's text.
func (w *testbed) admin(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := w.Stack.Durapay(within(t), append([]string{"admin"}, args...)...)
	if err != nil {
		return err.Error(), err
	}
	return string(out), nil
}
