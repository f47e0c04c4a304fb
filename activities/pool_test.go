package activities_test

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// fillPool runs FillPool with a wallet process that has made so many addresses, until it fails.
func fillPool(t *testing.T, s *shop, process *recorder) error {
	t.Helper()
	server := httptest.NewServer(process)
	t.Cleanup(server.Close)
	wallet := monero.NewWallet(monero.Endpoint{URL: server.URL}, monero.Options{})
	pool := &incoming.Pool{
		Store: s.store, Target: 20, Level: func(string, int) {}, Log: slog.New(slog.DiscardHandler),
		Wallets: map[string]monero.OpenWallet{walletID: {Spend: wallet, Deriver: deriverOf(t)}},
		Witness: witnesstest.Opened(s.store, walletID),
	}
	env := (&testsuite.WorkflowTestSuite{}).NewTestActivityEnvironment()
	env.RegisterActivity(pool)
	_, err := env.ExecuteActivity(pool.FillPool, incoming.WalletTask{WalletID: walletID})
	return err
}

// TestPoolWaitsForAnOlderWallet: the process was restored from an older copy. If it made
// the next addresses, it could not spend payments to the earlier addresses that it had
// scanned past.
func TestPoolWaitsForAnOlderWallet(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	process := &recorder{addresses: 4}
	require.ErrorContains(t, fillPool(t, a.shop, process), "has to read the chain again first")
	require.NotContains(t, process.calls, "create_address")
}

// TestAnAddressThatIsNotOurOwnIsNotPublished: the process shows another address than the view
// key.
func TestAnAddressThatIsNotOurOwnIsNotPublished(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	require.ErrorContains(t, fillPool(t, a.shop, &recorder{addresses: 11}), "differs from our own derivation")
	highest, err := a.store.HighestAddressIndex(t.Context(), walletID)
	require.NoError(t, err)
	require.EqualValues(t, 10, highest)
	require.Equal(t, alert.AddressMismatch, a.openAlerts(t)[0].Kind)
}
