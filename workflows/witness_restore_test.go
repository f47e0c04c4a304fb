package workflows_test

import (
	"bytes"
	"context"
	"errors"
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
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/witness"
)

// beyond is the index of an address that a wallet made of its seed does not look
// for by itself.
const beyond = 60

// TestWalletFromItsSeedReadsTheChainAgain pays an address of a wallet that is then lost
// and restored from its seed. The process that adds the addresses to the wallet dies
// before it has read the chain, and repeats that.
func TestWalletFromItsSeedReadsTheChainAgain(t *testing.T) {
	t.Parallel()
	const part = "wallet-exchange-spend"
	s := stack.ForTest(t, stack.Options{Parts: []string{part}})
	p := watchCalls(t, "http://"+s.Addr(part))
	unhurried := monero.Options{CallTimeout: maxWait}
	wallet := monero.NewWallet(monero.Endpoint{URL: p.url}, unhurried)
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
	}, maxWait, 100*time.Millisecond)

	chain := &witness.MoneroChain{Spender: spenderOf(t, s, wallet, daemon), Daemon: daemon}
	requireAskedByBlock(t, chain, p, tx.Hash, func() {
		_, err := daemon.GenerateBlocks(t.Context(), own, 1)
		require.NoError(t, err)
	})

	words, err := s.Seed(t.Context(), part)
	require.NoError(t, err)
	require.NoError(t, s.StopPart(t.Context(), part))
	require.NoError(t, s.RestoreWallet(t.Context(), part, words))
	require.NoError(t, s.StartPart(t.Context(), part))
	require.False(t, received(), "it scanned past it")

	p.cuts.Store(true)
	_, err = chain.Restore(t.Context(), beyond)
	require.Error(t, err)
	p.cuts.Store(false)
	require.NoError(t, s.Kill(part))
	require.NoError(t, s.StartPart(t.Context(), part))
	for _, want := range []bool{true, false} {
		var restored bool
		require.Eventually(t, func() bool {
			restored, err = chain.Restore(t.Context(), beyond)
			return err == nil
		}, maxWait, 100*time.Millisecond, "its process is another one")
		require.Equal(t, want, restored)
		require.True(t, received())
	}
}

// paidBook has one payment to an address, which the wallet may not know.
type paidBook struct{}

func (paidBook) HighestAddress(context.Context, string) (uint64, error) { return beyond, nil }

func (paidBook) PaidBelow(_ context.Context, _ string, index uint32, blocks uint64) (paid bool, read uint64, err error) {
	return index <= beyond, blocks, nil
}

func (paidBook) ReportMismatch(_ context.Context, _, detail string) error { return errors.New(detail) }

// spenderOf returns the wallet of the exchange as the process that spends.
func spenderOf(t *testing.T, s *stack.Stack, wallet *monero.Wallet, daemon *monero.Daemon) *xmrwallet.Spender {
	t.Helper()
	entries, err := config.LoadExchangeWallets(s.ExchangeWalletsFile())
	require.NoError(t, err)
	at := slices.IndexFunc(entries, func(e config.ExchangeWallet) bool { return e.Monero != nil })
	viewKey, err := config.ReadSecret(entries[at].Monero.ViewKeyFile)
	require.NoError(t, err)
	deriver, err := monero.NewDeriver(entries[at].Monero.PrimaryAddress, viewKey)
	require.NoError(t, err)
	return xmrwallet.NewSpender("exchange-xmr-Mainnet", monero.OpenWallet{Daemon: daemon, Spend: wallet, Deriver: deriver}, paidBook{})
}

// requireAskedByBlock compares twice at each block: the wallet is asked once, and both
// comparisons find its sent transactions.
func requireAskedByBlock(t *testing.T, chain *witness.MoneroChain, p *calledWallet, sent string, mine func()) {
	t.Helper()
	list := func() []string {
		t.Helper()
		sent, _, err := chain.SentSince(t.Context(), 0, witness.ByBlock)
		require.NoError(t, err)
		var hashes []string
		for _, s := range sent {
			hashes = append(hashes, s.TxHash)
		}
		return hashes
	}
	for range 2 {
		before := p.lists.Load()
		for range 2 {
			require.Contains(t, list(), sent)
			require.Equal(t, before+1, p.lists.Load())
		}
		mine()
	}
	// A restored database may know an older height, and an operator may ask for the current
	// list.
	before := p.lists.Load()
	list()
	none, tip, err := chain.SentSince(t.Context(), 1<<30, witness.ByBlock)
	require.NoError(t, err)
	require.Empty(t, none)
	require.Equal(t, before+1, p.lists.Load(), "the height that is known rises with each comparison")
	_, _, err = chain.SentSince(t.Context(), tip, witness.Now)
	require.NoError(t, err)
	require.Contains(t, list(), sent)
	require.Equal(t, before+3, p.lists.Load())
}

// calledWallet stands before a wallet.
type calledWallet struct {
	url string
	// cuts has calls to read the chain again cut off, while it is set.
	cuts atomic.Bool
	// lists counts the calls for a list of transfers.
	lists atomic.Int64
}

func watchCalls(t *testing.T, wallet string) *calledWallet {
	t.Helper()
	behind, err := url.Parse(wallet)
	require.NoError(t, err)
	proxy, p := httputil.NewSingleHostReverseProxy(behind), &calledWallet{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil || p.cuts.Load() && bytes.Contains(body, []byte("rescan_blockchain")) {
			panic(http.ErrAbortHandler)
		}
		if bytes.Contains(body, []byte("get_transfers")) {
			p.lists.Add(1)
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}
