package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// The sandbox got another wallet. The merchant's old wallet has no watcher, but still has
// addresses ready.
func TestASandboxChargeHasAnAddressOfAWalletThatIsConfigured(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	require.NoError(t, s.store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: "stagenet", ChainID: "xmr-Stagenet", Mode: "sandbox", PrimaryAddress: "5"}))
	for wallet, address := range map[string]string{"sandbox-1": "of the main network", "stagenet": "of stagenet"} {
		require.NoError(t, s.store.PublishAddresses(t.Context(), db.PublishAddressesParams{
			WalletID: wallet, Indices: []int32{1, 2}, Addresses: []string{address + " 1", address + " 2"},
		}))
		witnesstest.Open(t, s.store, wallet)
	}
	request := s.request()
	request.Mode = config.Sandbox
	addressOf := func(configured ...string) string {
		s.charges.SandboxWallets = configured
		in := request
		in.ChargeID = secret.NewID("ch_")
		return s.create(t, in).Subaddress
	}
	require.Equal(t, "of the main network 1", addressOf("sandbox-1", "stagenet"), "it keeps its own")
	require.Equal(t, "of stagenet 1", addressOf("stagenet"))

	s.charges.SandboxWallets = nil
	request.ChargeID = secret.NewID("ch_")
	_, err := s.charges.Create(t.Context(), request)
	require.Equal(t, refusals.NoAddress, reason(t, err), "whoever paid the old one would pay real money that nobody sees")
	require.ErrorContains(t, err, "no wallet of the sandbox is configured")
}

// A wallet whose daemon is on another network has addresses, and none is given out; the
// answer comes at once, and is no fault.
func TestNoAddressOfAWalletOnTheWrongChain(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	require.NoError(t, s.store.WithholdLease(t.Context(), walletID))
	require.NoError(t, s.store.OpenAlert(t.Context(), db.OpenAlertParams{Kind: alert.WrongChain, Subject: walletID}))
	_, err := s.charges.Create(t.Context(), s.request())
	require.Equal(t, refusals.NoAddress, reason(t, err))
}
