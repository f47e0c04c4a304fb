package activities_test

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// TestPoolWaitsForAnOlderWallet: a process was restored from an older copy. If it made
// the next addresses, payments to the earlier addresses that it had scanned past would
// stay unseen.
func TestPoolWaitsForAnOlderWallet(t *testing.T) {
	t.Parallel()
	for older := range 2 {
		s := open(t, 10)
		var processes [2]*recorder
		var wallets [2]*monero.Wallet
		for i := range processes {
			processes[i] = &recorder{addresses: 11}
			if i == older {
				processes[i].addresses = 4
			}
			server := httptest.NewServer(processes[i])
			t.Cleanup(server.Close)
			wallets[i] = monero.NewWallet(monero.Endpoint{URL: server.URL}, monero.Options{})
		}
		pool := &incoming.Pool{
			Store: s.store, Level: func(string, int) {}, Log: slog.New(slog.DiscardHandler),
			Wallets: map[string]incoming.Wallet{walletID: {
				Maker: incoming.PairMaker{WalletPair: monero.WalletPair{Watch: wallets[0], Spend: wallets[1], Deriver: deriverOf(t)}}, Ready: 20,
			}},
			Witness: witnesstest.Opened(s.store, walletID),
		}
		env := (&testsuite.WorkflowTestSuite{}).NewTestActivityEnvironment()
		env.RegisterActivity(pool)
		_, err := env.ExecuteActivity(pool.FillPool, incoming.WalletTask{WalletID: walletID})
		require.ErrorContains(t, err, "has to read the chain again first")
		for _, p := range processes {
			require.NotContains(t, p.calls, "create_address")
		}
	}
}
