package monero

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
)

// chainStart is the number of blocks that are mined first. To choose decoys,
// the wallet draws 75 distinct outputs at random from those that are at least
// 10 blocks deep. With only slightly more than 85 blocks it can take minutes.
const chainStart = 110

const half = money.OneXMR / 2

// chain is a private chain with a payer and a merchant. The merchant's wallet
// is open twice: view-only to watch, and with the spend key to send.
type chain struct {
	daemonProcess       *process
	daemon              *Daemon
	spendProcess        *process
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
	c.spendProcess, c.spend = startOpenWallet(t, port, c.merchant, false)
	c.deriver, err = NewDeriver(c.merchant.address, c.merchant.view)
	require.NoError(t, err)
	for _, w := range []*Wallet{c.watch, c.spend} {
		require.NoError(t, w.StopAutoRefresh(t.Context()))
		require.NoError(t, w.EnsureAddressCount(t.Context(), 12))
	}
	c.refresh(t)
	return c
}

// refresh makes every wallet scan every block.
func (c *chain) refresh(t *testing.T) {
	t.Helper()
	for _, w := range []*Wallet{c.payer, c.watch, c.spend} {
		await(t, func() bool {
			// The first call after the daemon is back may fail once.
			_, err := w.Refresh(t.Context())
			return err == nil && c.height(t) == walletHeight(t, w)
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

// build makes a payer's transaction to merchant subaddresses and does not relay
// it.
func (c *chain) build(t *testing.T, to ...Destination) BuiltTx {
	t.Helper()
	tx, err := c.payer.Transfer(t.Context(), to, []uint32{0})
	require.NoError(t, err)
	return tx
}

// confirm mines until a transaction is in a block, which is not always the next
// one, and returns the block's height.
func (c *chain) confirm(t *testing.T, hash string) uint64 {
	t.Helper()
	for begun := time.Now(); ; {
		c.mine(t, 1)
		if s := c.status(t, hash); s.State == Mined {
			return s.Height
		}
		require.Less(t, time.Since(begun), maxWait, "%s is not mined", hash)
	}
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
	return Destination{Address: c.deriver.Subaddress(0, index), Amount: amount}
}

// received returns the transfers of a transaction that the watching wallet
// lists above a height.
func (c *chain) received(t *testing.T, above uint64, hash string) map[uint32]Transfer {
	t.Helper()
	list, err := c.watch.Transfers(t.Context(), Range{From: above + 1, To: NoEnd, Pool: true})
	require.NoError(t, err)
	bySubaddress := map[uint32]Transfer{}
	for _, tr := range list {
		if tr.TxHash == hash {
			bySubaddress[tr.SubaddressIndex] = tr
		}
	}
	return bySubaddress
}
