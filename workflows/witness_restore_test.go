package workflows_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/witness"
)

// beyond is the index of an address that a wallet made of its seed does not look
// for by itself.
const beyond = 60

// TestWalletFromItsSeedReadsTheChainAgain pays an address of a wallet that is then
// lost and made again. Whoever lets it know its addresses dies before it has read
// the chain, and does it again.
func TestWalletFromItsSeedReadsTheChainAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts monerod and a wallet")
	}
	const part = "wallet-exchange-spend"
	s, err := stack.Start(t.Context(), stack.Options{Dir: t.TempDir(), Parts: []string{part}, Private: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	cuts, address := cutRescans(t, "http://"+s.Addr(part))
	unhurried := monero.Options{CallTimeout: patience}
	wallet := monero.NewWallet(monero.Endpoint{URL: address}, unhurried)
	daemon := monero.NewDaemon(monero.Endpoint{URL: "http://" + s.Addr("monerod")}, unhurried)
	received := func() bool {
		t.Helper()
		require.NoError(t, wallet.CatchUp(t.Context(), daemon))
		outputs, err := wallet.Unspent(t.Context())
		require.NoError(t, err)
		return slices.ContainsFunc(outputs, func(o monero.Output) bool { return o.SubaddressIndex == beyond })
	}
	require.NoError(t, wallet.EnsureAddressCount(t.Context(), beyond+1))
	to, _, err := wallet.AddressAt(t.Context(), beyond)
	require.NoError(t, err)
	tx, err := wallet.Transfer(t.Context(), []monero.Destination{{Address: to, Amount: money.OneXMR}}, []uint32{0})
	require.NoError(t, err)
	require.NoError(t, daemon.Relay(t.Context(), tx.BlobHex))
	own, _, err := wallet.AddressAt(t.Context(), 0)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := daemon.GenerateBlocks(t.Context(), own, 1)
		return err == nil && received()
	}, patience, 100*time.Millisecond)

	words, err := s.Seed(t.Context(), part)
	require.NoError(t, err)
	require.NoError(t, s.StopPart(t.Context(), part))
	require.NoError(t, s.RestoreWallet(t.Context(), part, "exchange", words))
	require.NoError(t, s.StartPart(t.Context(), part))
	require.False(t, received(), "it scanned past it")

	chain := witness.MoneroChain{Wallet: wallet, Daemon: daemon}
	cuts.Store(true)
	_, err = chain.Restore(t.Context(), beyond)
	require.Error(t, err)
	cuts.Store(false)
	require.NoError(t, s.Kill(part))
	require.NoError(t, s.StartPart(t.Context(), part))
	for _, want := range []bool{true, false} {
		var restored bool
		require.Eventually(t, func() bool {
			restored, err = chain.Restore(t.Context(), beyond)
			return err == nil
		}, patience, 100*time.Millisecond, "its process is another one")
		require.Equal(t, want, restored)
		require.True(t, received())
	}
}

// cutRescans stands before a wallet and cuts off calls to read the chain again,
// while it is set.
func cutRescans(t *testing.T, wallet string) (*atomic.Bool, string) {
	t.Helper()
	behind, err := url.Parse(wallet)
	require.NoError(t, err)
	proxy, cuts := httputil.NewSingleHostReverseProxy(behind), &atomic.Bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil || cuts.Load() && bytes.Contains(body, []byte("rescan_blockchain")) {
			panic(http.ErrAbortHandler)
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	return cuts, server.URL
}
