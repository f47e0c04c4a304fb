package monero

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
)

// chainStart is the number of blocks mined first. To choose decoys the wallet
// draws 75 distinct outputs from those 10 blocks deep, at random: shortly
// above 85 blocks it can draw for minutes.
const chainStart = 110

const half = money.OneXMR / 2

// chain is a private chain with a payer, and a merchant whose wallet is open
// twice: view-only to watch, and with the spend key to send.
type chain struct {
	daemonProcess       *process
	daemon              *Daemon
	payer, watch, spend *Wallet
	payerKeys, merchant testKeys
	miner               testKeys
	deriver             *Deriver
}

func startChain(t *testing.T) *chain {
	t.Helper()
	c := &chain{payerKeys: newKeys(t), merchant: newKeys(t), miner: newKeys(t)}
	c.daemonProcess, c.daemon = startDaemon(t)
	_, err := c.daemon.GenerateBlocks(t.Context(), c.payerKeys.address, chainStart)
	require.NoError(t, err)
	port := c.daemonProcess.port
	_, c.payer = startOpenWallet(t, port, c.payerKeys, false)
	_, c.watch = startOpenWallet(t, port, c.merchant, true)
	_, c.spend = startOpenWallet(t, port, c.merchant, false)
	c.deriver, err = NewDeriver(c.merchant.address, c.merchant.view)
	require.NoError(t, err)
	for _, w := range []*Wallet{c.watch, c.spend} {
		require.NoError(t, w.SetAutoRefresh(t.Context(), false, 0))
		require.NoError(t, w.EnsureAddressCount(t.Context(), 12))
	}
	c.refresh(t)
	return c
}

// refresh lets every wallet see every block.
func (c *chain) refresh(t *testing.T) {
	t.Helper()
	for _, w := range []*Wallet{c.payer, c.watch, c.spend} {
		await(t, func() bool {
			_, err := w.Refresh(t.Context())
			require.NoError(t, err)
			return c.height(t) == walletHeight(t, w)
		})
	}
}

func walletHeight(t *testing.T, w *Wallet) uint64 {
	t.Helper()
	h, err := w.Height(t.Context())
	require.NoError(t, err)
	return h
}

func (c *chain) height(t *testing.T) uint64 {
	t.Helper()
	info, err := c.daemon.Info(t.Context())
	require.NoError(t, err)
	return info.Height
}

func (c *chain) mine(t *testing.T, n uint64) {
	t.Helper()
	_, err := c.daemon.GenerateBlocks(t.Context(), c.miner.address, n)
	require.NoError(t, err)
	c.refresh(t)
}

// build makes a payer's transaction to merchant subaddresses without relay.
func (c *chain) build(t *testing.T, to ...Destination) BuiltTx {
	t.Helper()
	tx, err := c.payer.Transfer(t.Context(), to, []uint32{0})
	require.NoError(t, err)
	return tx
}

// pay relays a payer's transaction and mines it; it returns the block's height.
func (c *chain) pay(t *testing.T, to ...Destination) uint64 {
	t.Helper()
	tx := c.build(t, to...)
	require.NoError(t, c.daemon.Relay(t.Context(), tx.BlobHex))
	c.mine(t, 1)
	status := c.status(t, tx.Hash)
	require.Equal(t, Mined, status.State)
	return status.Height
}

func (c *chain) status(t *testing.T, hash string) TxStatus {
	t.Helper()
	statuses, err := c.daemon.Transactions(t.Context(), []string{hash})
	require.NoError(t, err)
	require.Len(t, statuses, 1)
	require.Equal(t, hash, statuses[0].Hash)
	return statuses[0]
}

func (c *chain) requireSpent(t *testing.T, images []string, want SpentStatus) {
	t.Helper()
	got, err := c.daemon.KeyImages(t.Context(), images)
	require.NoError(t, err)
	require.Len(t, got, len(images))
	for _, s := range got {
		require.Equal(t, want, s)
	}
}

func (c *chain) sub(t *testing.T, index uint32, amount money.Piconero) Destination {
	t.Helper()
	address, err := c.deriver.Subaddress(0, index)
	require.NoError(t, err)
	return Destination{Address: address, Amount: amount}
}

// received is what the watching wallet lists above a height for a transaction.
func (c *chain) received(t *testing.T, above uint64, hash string) map[uint32]Transfer {
	t.Helper()
	list, err := c.watch.Transfers(t.Context(), above, true)
	require.NoError(t, err)
	bySubaddress := map[uint32]Transfer{}
	for _, tr := range list {
		if tr.TxHash == hash {
			bySubaddress[tr.SubaddressIndex] = tr
		}
	}
	return bySubaddress
}

// TestOnAPrivateChain tells one story after the other on one chain, because a
// chain takes long to make. The last one kills the daemon.
func TestOnAPrivateChain(t *testing.T) {
	t.Parallel()
	needProcesses(t)
	c := startChain(t)
	for _, story := range []struct {
		name string
		tell func(*testing.T, *chain)
	}{
		{"state of the chain", storyState},
		{"payments in pool and block", storyPayments},
		{"sweep from build to block", storySweep},
		{"transfer with change", storyTransfer},
		{"conflict is refused", storyConflict},
		{"what cannot be built", storyImpossible},
		{"reorganization", storyReorganization},
		{"daemon down", storyDaemonDown},
	} {
		if !t.Run(story.name, func(t *testing.T) { story.tell(t, c) }) {
			return
		}
	}
}

func storyState(t *testing.T, c *chain) {
	ctx := t.Context()
	info, err := c.daemon.Info(ctx)
	require.NoError(t, err)
	require.Equal(t, "fakechain", info.NetType)
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

func storyPayments(t *testing.T, c *chain) {
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
	withoutPool, err := c.watch.Transfers(t.Context(), top, false)
	require.NoError(t, err)
	require.Empty(t, withoutPool)

	c.mine(t, 1)
	height := top + 1
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

func storySweep(t *testing.T, c *chain) {
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
	require.NotEmpty(t, tx.Metadata)
	require.NotEmpty(t, tx.Key)
	require.Positive(t, tx.Weight)

	require.Equal(t, Missed, c.status(t, tx.Hash).State)
	c.requireSpent(t, images, Unspent)
	for range 2 {
		require.NoError(t, c.daemon.Relay(ctx, tx.BlobHex), "again is harmless")
		require.Equal(t, InPool, c.status(t, tx.Hash).State)
		c.requireSpent(t, images, SpentInPool)
	}
	c.mine(t, 1)
	require.Equal(t, TxStatus{Hash: tx.Hash, State: Mined, Height: c.height(t) - 1}, c.status(t, tx.Hash))
	c.requireSpent(t, images, SpentInChain)
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

func storyTransfer(t *testing.T, c *chain) {
	ctx := t.Context()
	c.pay(t, c.sub(t, 3, 2*money.OneXMR), c.sub(t, 4, 2*money.OneXMR), c.sub(t, 5, 2*money.OneXMR))
	c.mine(t, 9)
	tx, err := c.spend.Transfer(ctx, []Destination{{c.payerKeys.address, money.OneXMR}}, []uint32{3})
	require.NoError(t, err)
	require.Equal(t, money.OneXMR, tx.Amount)
	require.Len(t, tx.KeyImages, 1)
	require.NoError(t, c.daemon.Relay(ctx, tx.BlobHex))
	c.mine(t, 1)
	change, err := c.spend.IncomingTransfers(ctx, []uint32{0})
	require.NoError(t, err)
	require.Len(t, change, 1, "change stays at the primary address")
	require.Equal(t, money.OneXMR-tx.Fee, change[0].Amount)
}

func storyConflict(t *testing.T, c *chain) {
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
			c.mine(t, 1)
		}
	}
	err := c.daemon.Relay(ctx, "0200")
	require.ErrorIs(t, err, ErrRefused)
}

func storyImpossible(t *testing.T, c *chain) {
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
	_, err = c.spend.SweepAll(ctx, c.payerKeys.address+"x", []uint32{5})
	require.ErrorIs(t, err, ErrAddress)
	require.NotContains(t, err.Error(), c.payerKeys.address)
	_, err = c.spend.Transfer(ctx, []Destination{{c.payerKeys.address, 2 * money.OneXMR}}, []uint32{5})
	require.ErrorIs(t, err, ErrNotEnoughMoney, "no money for the fee")
	_, err = c.spend.Transfer(ctx, []Destination{{c.payerKeys.address, 1e6 * money.OneXMR}}, []uint32{5})
	require.ErrorIs(t, err, ErrNotEnoughMoney)

	outputs, err := c.spend.IncomingTransfers(ctx, []uint32{5})
	require.NoError(t, err)
	require.Len(t, outputs, 1)
	require.NoError(t, c.spend.Freeze(ctx, outputs[0].KeyImage))
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

func storyReorganization(t *testing.T, c *chain) {
	ctx := t.Context()
	tx := c.build(t, c.sub(t, 6, money.OneXMR))
	require.NoError(t, c.daemon.Relay(ctx, tx.BlobHex))
	c.mine(t, 1)
	first := c.status(t, tx.Hash).Height
	hash, err := c.daemon.BlockHash(ctx, first)
	require.NoError(t, err)
	c.mine(t, 2)
	require.Equal(t, first, c.received(t, first-1, tx.Hash)[6].Height)

	left, err := c.daemon.PopBlocks(ctx, 3)
	require.NoError(t, err)
	require.Equal(t, first, left)
	require.Equal(t, InPool, c.status(t, tx.Hash).State)
	c.emptyPool(t)
	require.Equal(t, Missed, c.status(t, tx.Hash).State)
	c.mine(t, 4)
	require.Empty(t, c.received(t, first-1, tx.Hash), "the payment vanished")
	now, err := c.daemon.BlockHash(ctx, first)
	require.NoError(t, err)
	require.NotEqual(t, hash, now)

	require.NoError(t, c.daemon.Relay(ctx, tx.BlobHex))
	c.mine(t, 1)
	require.Equal(t, first+4, c.received(t, first-1, tx.Hash)[6].Height, "the payment moved")
}

// emptyPool makes the daemon forget the transactions of popped blocks.
func (c *chain) emptyPool(t *testing.T) {
	t.Helper()
	require.NoError(t, c.daemon.client.rpc(t.Context(), call{method: "flush_txpool"}, nil))
}

func storyDaemonDown(t *testing.T, c *chain) {
	ctx := t.Context()
	tx := c.build(t, c.sub(t, 7, money.OneXMR))
	height := c.height(t)
	c.daemonProcess.kill()

	for name, ask := range map[string]func() error{
		"info":           func() error { _, err := c.daemon.Info(ctx); return err },
		"relay":          func() error { return c.daemon.Relay(ctx, tx.BlobHex) },
		"key images":     func() error { _, err := c.daemon.KeyImages(ctx, tx.KeyImages); return err },
		"transactions":   func() error { _, err := c.daemon.Transactions(ctx, []string{tx.Hash}); return err },
		"pool transfers": func() error { _, err := c.watch.Transfers(ctx, height, true); return err },
		"refresh":        func() error { _, err := c.watch.Refresh(ctx); return err },
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
	list, err := c.watch.Transfers(ctx, 0, false)
	require.NoError(t, err, "what was scanned is still told")
	require.NotEmpty(t, list)
	require.Equal(t, height, walletHeight(t, c.watch))

	c.daemonProcess.start(t)
	awaitReady(t, func(ctx context.Context) error { return c.daemon.Relay(ctx, tx.BlobHex) })
	awaitReady(t, func(ctx context.Context) error { _, err := c.watch.Transfers(ctx, height-1, true); return err })
	c.mine(t, 1)
	require.Equal(t, Mined, c.status(t, tx.Hash).State)
}
