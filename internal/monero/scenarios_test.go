package monero

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
)

// TestOnAPrivateChain runs all scenarios one after another on one chain,
// because it takes long to make a chain. The last scenario kills the daemon.
func TestOnAPrivateChain(t *testing.T) {
	t.Parallel()
	needProcesses(t)
	c := startChain(t)
	for _, scenario := range []struct {
		name string
		run  func(*testing.T, *chain)
	}{
		{"state of the chain", scenarioState},
		{"a wallet that lags", scenarioLag},
		{"a wallet that has seen the newest block", scenarioSeen},
		{"payments in pool and block", scenarioPayments},
		{"sweep from build to block", scenarioSweep},
		{"transfer with change", scenarioTransfer},
		{"proof of a payment", scenarioProof},
		{"conflict is refused", scenarioConflict},
		{"a block while the daemon looks", scenarioBetween},
		{"what cannot be built", scenarioImpossible},
		{"reorganization", scenarioReorganization},
		{"daemon down", scenarioDaemonDown},
	} {
		if !t.Run(scenario.name, func(t *testing.T) { scenario.run(t, c) }) {
			return
		}
	}
}

func scenarioState(t *testing.T, c *chain) {
	ctx := t.Context()
	info, err := c.daemon.Info(ctx)
	require.NoError(t, err)
	require.Equal(t, Fakechain, info.NetType)
	require.True(t, info.Synchronized)
	require.EqualValues(t, chainStart+1, info.Height)

	top, err := c.daemon.BlockHeader(ctx, info.Height-1)
	require.NoError(t, err)
	require.Equal(t, info.TopHash, top.Hash)
	require.Equal(t, info.Height-1, top.Height)
	require.False(t, top.Timestamp.IsZero())
	below, err := c.daemon.BlockHash(ctx, info.Height-2)
	require.NoError(t, err)
	require.Equal(t, top.PrevHash, below)
	_, err = c.daemon.BlockHash(ctx, info.Height)
	require.ErrorIs(t, err, ErrNotFound)

	fork, err := c.daemon.Fork(ctx)
	require.NoError(t, err)
	require.Equal(t, Fork{Version: 16, Knows: 16}, fork)
	votes, err := c.daemon.Votes(ctx, 1, info.Height-1)
	require.NoError(t, err)
	require.Equal(t, map[int]int{16: chainStart}, votes)

	fees, err := c.daemon.FeeEstimate(ctx)
	require.NoError(t, err)
	require.Positive(t, fees.PerByte)
	balance, err := c.payer.Balance(ctx)
	require.NoError(t, err)
	require.Greater(t, balance.Unlocked, 100*money.OneXMR)
	require.Greater(t, balance.Total, balance.Unlocked)
	require.Positive(t, balance.BlocksToUnlock)
	require.Equal(t, Missed, c.status(t, info.TopHash).State)
}

// A wallet that has lost its place reports that it has scanned everything.
func scenarioLag(t *testing.T, c *chain) {
	require.NoError(t, c.spend.CatchUp(t.Context(), c.daemon))
	daemon := c.daemonAnswering(t, func(_ string, text []byte) []byte {
		seen := fmt.Sprintf(`"height": %d`, c.height(t))
		require.Contains(t, string(text), seen)
		return bytes.Replace(text, []byte(seen), fmt.Appendf(nil, `"height": %d`, c.height(t)+1), 1)
	})
	err := c.spend.CatchUp(t.Context(), daemon)
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "the wallet has seen")
}

// A wallet reads each block only once, and a different block at the same height
// counts as new.
func scenarioSeen(t *testing.T, c *chain) {
	reads := 0
	options := unhurried()
	options.Observe = func(method string, _ error) {
		if method == "refresh" {
			reads++
		}
	}
	wallet := NewWallet(c.spendProcess.endpoint(), options)
	t.Cleanup(wallet.Close)
	caughtUp := func(want int) {
		require.NoError(t, wallet.CatchUp(t.Context(), c.daemon))
		require.NoError(t, wallet.CatchUp(t.Context(), c.daemon))
		require.Equal(t, c.height(t), walletHeight(t, wallet))
		require.Equal(t, want, reads)
	}
	caughtUp(1)
	before := c.height(t)
	_, err := c.daemon.GenerateBlocks(t.Context(), c.miner.address, 1)
	require.NoError(t, err)
	caughtUp(2)
	_, err = c.daemon.PopBlocks(t.Context(), 1)
	require.NoError(t, err)
	_, err = c.daemon.GenerateBlocks(t.Context(), c.miner.address, 1)
	require.NoError(t, err)
	require.Equal(t, before+1, c.height(t))
	caughtUp(3)
	c.refresh(t)
}

// daemonAnswering returns a client of the daemon that gets changed answers.
func (c *chain) daemonAnswering(t *testing.T, change func(path string, text []byte) []byte) *Daemon {
	t.Helper()
	target, err := url.Parse(c.daemonProcess.endpoint().URL)
	require.NoError(t, err)
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(answer *http.Response) error {
			text, err := io.ReadAll(answer.Body)
			text = change(answer.Request.URL.Path, text)
			answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
			answer.Header.Set("Content-Length", strconv.Itoa(len(text)))
			return err
		},
	})
	t.Cleanup(server.Close)
	daemon := NewDaemon(Endpoint{URL: server.URL}, unhurried())
	t.Cleanup(daemon.Close)
	return daemon
}

func scenarioPayments(t *testing.T, c *chain) {
	tx := c.build(t, c.sub(t, 1, money.OneXMR), c.sub(t, 1, 2*money.OneXMR), c.sub(t, 2, half), c.sub(t, 8, 7))
	require.Equal(t, 3*money.OneXMR+half+7, tx.Amount)
	require.Equal(t, Missed, c.status(t, tx.Hash).State)
	require.NoError(t, c.daemon.Relay(t.Context(), tx.BlobHex))

	top := c.height(t) - 1
	got := c.received(t, top, tx.Hash)
	require.Len(t, got, 3)
	require.ElementsMatch(t, []money.Piconero{money.OneXMR, 2 * money.OneXMR}, got[1].Amounts)
	require.Equal(t, 3*money.OneXMR, got[1].Amount)
	require.Equal(t, []money.Piconero{half}, got[2].Amounts)
	require.Zero(t, got[1].Height)
	require.True(t, got[1].Locked)
	require.False(t, got[1].DoubleSpendSeen)
	withoutPool, err := c.watch.Transfers(t.Context(), Range{From: top + 1, To: NoEnd})
	require.NoError(t, err)
	require.Empty(t, withoutPool)

	height := c.confirm(t, tx.Hash)
	got = c.received(t, height-1, tx.Hash)
	require.Len(t, got, 3)
	require.Equal(t, height, got[1].Height)
	require.Len(t, got[1].Amounts, 2)
	require.True(t, got[1].Locked)
	require.Empty(t, c.received(t, height, tx.Hash), "the height given is excluded")
	block, err := c.daemon.BlockHeader(t.Context(), height)
	require.NoError(t, err)
	require.Equal(t, block.Timestamp, got[1].Timestamp)
	require.Equal(t, TxStatus{Hash: tx.Hash, State: Mined, Height: height}, c.status(t, tx.Hash))

	c.mine(t, 9)
	require.False(t, c.received(t, height-1, tx.Hash)[1].Locked)
}

func scenarioSweep(t *testing.T, c *chain) {
	ctx := t.Context()
	outputs, err := c.spend.IncomingTransfers(ctx, []uint32{1, 2})
	require.NoError(t, err)
	require.Len(t, outputs, 3)
	var images []string
	var total money.Piconero
	for _, o := range outputs {
		require.True(t, o.Unlocked)
		require.False(t, o.Spent || o.Frozen)
		require.Contains(t, []uint32{1, 2}, o.SubaddressIndex)
		images = append(images, o.KeyImage)
		total += o.Amount
	}
	require.Equal(t, 3*money.OneXMR+half, total)

	built, err := c.spend.SweepAll(ctx, c.payerKeys.address, []uint32{1, 2, 8})
	require.NoError(t, err)
	tx, err := built.One()
	require.NoError(t, err)
	require.ElementsMatch(t, images, tx.KeyImages, "7 piconero are not worth their fee")
	require.Equal(t, total, tx.Amount+tx.Fee)
	require.NotEmpty(t, tx.Key)
	require.Positive(t, tx.Weight)

	require.Equal(t, Missed, c.status(t, tx.Hash).State)
	c.requireSpent(t, images, Unspent)
	for range 2 {
		require.NoError(t, c.daemon.Relay(ctx, tx.BlobHex), "again is harmless")
		require.Equal(t, InPool, c.status(t, tx.Hash).State)
		c.requireSpent(t, images, SpentInPool)
		spends, err := c.daemon.PoolSpends(ctx, images)
		require.NoError(t, err)
		require.Equal(t, []string{tx.Hash}, spends)
	}
	spends, err := c.daemon.PoolSpends(ctx, []string{c.miner.view})
	require.NoError(t, err)
	require.Empty(t, spends, "others' transactions")
	height := c.confirm(t, tx.Hash)
	require.Equal(t, TxStatus{Hash: tx.Hash, State: Mined, Height: height}, c.status(t, tx.Hash))
	c.requireSpent(t, images, SpentInChain)
	spends, err = c.daemon.PoolSpends(ctx, images)
	require.NoError(t, err)
	require.Empty(t, spends, "it left the pool")
	require.NoError(t, c.daemon.Relay(ctx, tx.BlobHex), "again is harmless when mined")

	outputs, err = c.spend.IncomingTransfers(ctx, []uint32{1, 2})
	require.NoError(t, err)
	for _, o := range outputs {
		require.True(t, o.Spent)
	}
	many, err := c.daemon.Transactions(ctx, []string{c.miner.view, tx.Hash, c.miner.spend})
	require.NoError(t, err)
	require.Equal(t, []TxState{Missed, Mined, Missed}, []TxState{many[0].State, many[1].State, many[2].State})
}

func scenarioTransfer(t *testing.T, c *chain) {
	ctx := t.Context()
	two := 2 * money.OneXMR
	funding := c.build(t, c.sub(t, 3, two), c.sub(t, 4, two), c.sub(t, 5, two))
	require.NoError(t, c.daemon.Relay(ctx, funding.BlobHex))
	c.confirm(t, funding.Hash)
	c.mine(t, 9)
	tx, err := c.spend.Transfer(ctx, []Destination{{c.payerKeys.address, money.OneXMR}}, []uint32{3})
	require.NoError(t, err)
	require.Equal(t, money.OneXMR, tx.Amount)
	require.Len(t, tx.KeyImages, 1)
	require.NoError(t, c.daemon.Relay(ctx, tx.BlobHex))
	c.confirm(t, tx.Hash)
	change, err := c.spend.IncomingTransfers(ctx, []uint32{0})
	require.NoError(t, err)
	require.Len(t, change, 1, "change stays at the primary address")
	require.Equal(t, money.OneXMR-tx.Fee, change[0].Amount)
}

func scenarioConflict(t *testing.T, c *chain) {
	ctx := t.Context()
	var txs []BuiltTx
	for range 2 {
		built, err := c.spend.SweepAll(ctx, c.payerKeys.address, []uint32{4})
		require.NoError(t, err)
		txs = append(txs, built[0])
	}
	require.NotEqual(t, txs[0].Hash, txs[1].Hash)
	require.Equal(t, txs[0].KeyImages, txs[1].KeyImages)
	require.NoError(t, c.daemon.Relay(ctx, txs[0].BlobHex))
	for _, state := range []SpentStatus{SpentInPool, SpentInChain} {
		err := c.daemon.Relay(ctx, txs[1].BlobHex)
		require.ErrorIs(t, err, ErrRefused)
		require.ErrorIs(t, err, RefusedDoubleSpend)
		require.NotErrorIs(t, err, ErrUnavailable)
		c.requireSpent(t, txs[1].KeyImages, state)
		require.Equal(t, Missed, c.status(t, txs[1].Hash).State)
		if state == SpentInPool {
			c.confirm(t, txs[0].Hash)
		}
	}
	err := c.daemon.Relay(ctx, "0200")
	require.ErrorIs(t, err, ErrRefused)
}

// The daemon searches the chain first and the pool second, so it misses a
// transaction that a block takes from the pool in between. To imitate such a
// miss, the test repeats the answer that the daemon gave before it knew the
// transaction.
func scenarioBetween(t *testing.T, c *chain) {
	tx := c.build(t, c.sub(t, 9, half))
	before := map[string][]byte{}
	var relayed bool
	daemon := c.daemonAnswering(t, func(path string, text []byte) []byte {
		if !relayed {
			before[path] = text
			return text
		}
		if early, first := before[path]; first {
			delete(before, path)
			return early
		}
		return text
	})
	look := func() (TxState, SpentStatus) {
		found, err := daemon.Transactions(t.Context(), []string{tx.Hash})
		require.NoError(t, err)
		spent, err := daemon.KeyImages(t.Context(), tx.KeyImages)
		require.NoError(t, err)
		return found[0].State, spent[0]
	}
	state, spent := look()
	require.Equal(t, Missed, state)
	require.Equal(t, Unspent, spent)

	require.NoError(t, c.daemon.Relay(t.Context(), tx.BlobHex))
	c.confirm(t, tx.Hash)
	relayed = true
	require.Len(t, before, 2)
	state, spent = look()
	require.Empty(t, before, "both early answers were given")
	require.Equal(t, Mined, state)
	require.Equal(t, SpentInChain, spent)
}

func scenarioImpossible(t *testing.T, c *chain) {
	ctx := t.Context()
	to := []Destination{{c.payerKeys.address, money.OneXMR}}

	_, err := c.spend.SweepAll(ctx, c.payerKeys.address, nil)
	require.ErrorIs(t, err, ErrArgument)
	_, err = c.spend.Transfer(ctx, to, nil)
	require.ErrorIs(t, err, ErrArgument)
	_, err = c.spend.Transfer(ctx, nil, []uint32{5})
	require.ErrorIs(t, err, ErrArgument)
	_, err = c.spend.Transfer(ctx, []Destination{{c.payerKeys.address, 0}}, []uint32{5})
	require.ErrorIs(t, err, ErrArgument)
	_, err = c.spend.SweepAll(ctx, c.payerKeys.address, []uint32{1})
	require.ErrorIs(t, err, ErrNotUnlocked, "all spent")
	for _, wrong := range []string{c.payerKeys.address + "x", "donate.example.org"} {
		_, err = c.spend.SweepAll(ctx, wrong, []uint32{5})
		require.ErrorIs(t, err, ErrAddress)
		_, err = c.spend.Transfer(ctx, []Destination{{wrong, 1}}, []uint32{5})
		require.ErrorIs(t, err, ErrAddress)
	}
	err = c.spend.client.rpc(ctx, call{Method: "sweep_all", Params: map[string]any{
		"address": c.payerKeys.address + "x", "subaddr_indices": []uint32{5}, "do_not_relay": true,
	}}, nil)
	require.ErrorIs(t, err, ErrAddress, "the wallet's own check")
	require.NotContains(t, err.Error(), c.payerKeys.address)
	_, err = c.spend.Transfer(ctx, []Destination{{c.payerKeys.address, 2 * money.OneXMR}}, []uint32{5})
	require.ErrorIs(t, err, ErrNotEnoughMoney, "no money for the fee")
	_, err = c.spend.Transfer(ctx, []Destination{{c.payerKeys.address, 1e6 * money.OneXMR}}, []uint32{5})
	require.ErrorIs(t, err, ErrNotEnoughMoney)

	outputs, err := c.spend.IncomingTransfers(ctx, []uint32{5})
	require.NoError(t, err)
	require.Len(t, outputs, 1)
	held, err := c.spend.Total(ctx)
	require.NoError(t, err)
	require.NoError(t, c.spend.Freeze(ctx, outputs[0].KeyImage))
	frozen, err := c.spend.Total(ctx)
	require.NoError(t, err)
	require.Equal(t, held, frozen, "what is frozen is held")
	_, err = c.spend.SweepAll(ctx, c.payerKeys.address, []uint32{5})
	require.ErrorIs(t, err, ErrNotUnlocked, "frozen")
	require.NoError(t, c.spend.Thaw(ctx, outputs[0].KeyImage))
	_, err = c.spend.SweepAll(ctx, c.payerKeys.address, []uint32{5})
	require.NoError(t, err)
	require.ErrorIs(t, c.spend.Freeze(ctx, c.miner.view), ErrNotFound)

	watched, err := c.watch.IncomingTransfers(ctx, []uint32{5})
	require.NoError(t, err)
	require.Len(t, watched, 1)
	require.Empty(t, watched[0].KeyImage)
}

func scenarioReorganization(t *testing.T, c *chain) {
	ctx := t.Context()
	tx := c.build(t, c.sub(t, 6, money.OneXMR))
	require.NoError(t, c.daemon.Relay(ctx, tx.BlobHex))
	first := c.confirm(t, tx.Hash)
	hash, err := c.daemon.BlockHash(ctx, first)
	require.NoError(t, err)
	c.mine(t, 2)
	require.Equal(t, first, c.received(t, first-1, tx.Hash)[6].Height)

	height, err := c.daemon.PopBlocks(ctx, c.height(t)-first)
	require.NoError(t, err)
	require.Equal(t, first, height)
	require.Equal(t, InPool, c.status(t, tx.Hash).State)
	c.emptyPool(t)
	require.Equal(t, Missed, c.status(t, tx.Hash).State)
	c.mine(t, 4)
	require.Empty(t, c.received(t, first-1, tx.Hash), "the payment vanished")
	now, err := c.daemon.BlockHash(ctx, first)
	require.NoError(t, err)
	require.NotEqual(t, hash, now)

	require.NoError(t, c.daemon.Relay(ctx, tx.BlobHex))
	second := c.confirm(t, tx.Hash)
	require.Greater(t, second, first)
	require.Equal(t, second, c.received(t, first-1, tx.Hash)[6].Height, "the payment moved")
}

// emptyPool makes the daemon forget the transactions of removed blocks.
func (c *chain) emptyPool(t *testing.T) {
	t.Helper()
	require.NoError(t, c.daemon.client.rpc(t.Context(), call{Method: "flush_txpool"}, nil))
}

func scenarioDaemonDown(t *testing.T, c *chain) {
	ctx := t.Context()
	tx := c.build(t, c.sub(t, 7, money.OneXMR))
	height := c.height(t)
	c.daemonProcess.kill()

	for name, ask := range map[string]func() error{
		"info":         func() error { _, err := c.daemon.Info(ctx); return err },
		"relay":        func() error { return c.daemon.Relay(ctx, tx.BlobHex) },
		"key images":   func() error { _, err := c.daemon.KeyImages(ctx, tx.KeyImages); return err },
		"transactions": func() error { _, err := c.daemon.Transactions(ctx, []string{tx.Hash}); return err },
		"pool transfers": func() error {
			_, err := c.watch.Transfers(ctx, Range{From: height + 1, To: NoEnd, Pool: true})
			return err
		},
		"refresh": func() error { _, err := c.watch.Refresh(ctx); return err },
		"sweep": func() error {
			_, err := c.spend.SweepAll(ctx, c.payerKeys.address, []uint32{5})
			return err
		},
		"transfer": func() error {
			_, err := c.spend.Transfer(ctx, []Destination{{c.payerKeys.address, 1}}, []uint32{5})
			return err
		},
	} {
		err := ask()
		require.ErrorIs(t, err, ErrUnavailable, name)
		require.NotErrorIs(t, err, ErrRefused, name)
	}
	list, err := c.watch.Transfers(ctx, Range{To: NoEnd})
	require.NoError(t, err, "what was scanned is still told")
	require.NotEmpty(t, list)
	require.Equal(t, height, walletHeight(t, c.watch))

	c.daemonProcess.start(t)
	awaitReady(t, func(ctx context.Context) error { return c.daemon.Relay(ctx, tx.BlobHex) })
	awaitReady(t, func(ctx context.Context) error {
		_, err := c.watch.Transfers(ctx, Range{From: height, To: NoEnd, Pool: true})
		return err
	})
	c.confirm(t, tx.Hash)
}
