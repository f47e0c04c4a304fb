package activities_test

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// poolOf returns a pool whose wallet process answers as the recorder.
func poolOf(t *testing.T, s *shop, process *recorder) *incoming.Pool {
	t.Helper()
	server := httptest.NewServer(process)
	t.Cleanup(server.Close)
	wallet := monero.NewWallet(monero.Endpoint{URL: server.URL}, monero.Options{})
	return &incoming.Pool{
		Store: s.store, Level: func(string, int) {}, Log: slog.New(slog.DiscardHandler),
		Wallets: map[string]incoming.Wallet{walletID: {
			Maker: incoming.MoneroMaker{OpenWallet: monero.OpenWallet{Spend: wallet, Deriver: deriverOf(t)}}, Ready: 20,
		}},
		Witness: witnesstest.Opened(s.store, walletID),
	}
}

// TestPoolWaitsForAnOlderWallet: the process was restored from an older copy. If it made
// the next addresses, it could not spend payments to the earlier addresses that it had
// scanned past.
func TestPoolWaitsForAnOlderWallet(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	process := &recorder{addresses: 4}
	require.ErrorContains(t, poolOf(t, a.shop, process).TopUp(t.Context(), walletID), "has to read the chain again first")
	require.NotContains(t, process.calls, "create_address")
}

// TestAnAddressThatIsNotOurOwnIsNotPublished: the process shows another address than the view
// key.
func TestAnAddressThatIsNotOurOwnIsNotPublished(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	require.ErrorContains(t, poolOf(t, a.shop, &recorder{addresses: 11}).TopUp(t.Context(), walletID), "differs from our own derivation")
	highest, err := a.store.HighestAddressIndex(t.Context(), walletID)
	require.NoError(t, err)
	require.EqualValues(t, 10, highest)
	require.Equal(t, alert.AddressMismatch, a.openAlerts(t)[0].Kind)
}

// TestPoolWaitsForTheFirstScan: nothing would find payments in the blocks before it.
func TestPoolWaitsForTheFirstScan(t *testing.T) {
	t.Parallel()
	s, process := open(t, 10), &recorder{addresses: 11}
	require.NoError(t, poolOf(t, s, process).TopUp(t.Context(), walletID))
	require.Empty(t, process.calls)
}
