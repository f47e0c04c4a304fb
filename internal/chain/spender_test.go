package chain_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// handedOut is how many addresses are handed out while the spending wallet hangs. Every
// paidStep-th of them, and so the last, is paid.
const (
	handedOut = 5000
	paidStep  = 100
	perTx     = 15
)

// TestMoneyThatCameWhileTheSpendingWalletHungIsSpent hands out addresses while the process that
// spends is stopped, and has them paid. When it goes on, a payment spends the money of the last
// one, and the process has read nothing twice. Then the process is killed, an address beyond
// all that it knows is paid, and the process reads that block by itself at its start: it has to
// read the chain again.
func TestMoneyThatCameWhileTheSpendingWalletHungIsSpent(t *testing.T) {
	t.Parallel()
	b := startMonero(t)
	w := b.fixture.(*moneroFixture)
	const part = "wallet-exchange-spend"
	before := b.balance(t)
	require.NoError(t, b.stack.Pause(part))
	var paid []string
	for n := 1; n <= handedOut; n++ {
		a := b.newAddress(t)
		if n%paidStep == 0 {
			paid = append(paid, a.Text)
		}
	}
	last := ""
	for len(paid) > 0 {
		n := min(perTx, len(paid))
		last = w.payAll(t, paid[:n])
		paid = paid[n:]
	}
	b.mine(t, 12)
	require.NoError(t, b.stack.Resume(part))
	begun := time.Now()
	after := b.balance(t)
	t.Logf("raised and read after %s", time.Since(begun))
	require.Equal(t, before.Total+handedOut/paidStep*b.atomic, after.Total)
	// The last transaction paid five addresses, and all of that is spent.
	built := b.build(t, chain.Payment{To: w.customerAddress(t), Amount: 5 * b.atomic, SubtractFee: true, Prefer: []string{last}})
	require.Len(t, built.Inputs, 5)
	b.relay(t, built)
	b.confirm(t, built)

	require.NoError(t, b.stack.Kill(part))
	far := uint64(handedOut + 500)
	b.store.highest.Store(far)
	spend := b.spender(t)
	w.payAll(t, []string{b.derive(t, uint32(far))})
	b.mine(t, 2)
	b.store.paid.Store(true)
	require.NoError(t, b.stack.StartPart(t.Context(), part))
	require.Eventually(t, func() bool { // it reads blocks by itself
		info, err := w.daemon.Info(t.Context())
		require.NoError(t, err)
		height, err := spend.Height(t.Context())
		return err == nil && height >= info.Height
	}, maxWait, 50*time.Millisecond)
	require.ErrorIs(t, spend.CatchUp(t.Context()), xmrwallet.ErrRescan)
	for _, want := range []bool{true, false} {
		again, err := spend.Raise(t.Context(), far)
		require.NoError(t, err)
		require.Equal(t, want, again)
	}
	require.NoError(t, spend.CatchUp(t.Context()))
	outputs, err := spend.Unspent(t.Context(), uint32(far))
	require.NoError(t, err)
	require.Len(t, outputs, 1)

	// A wallet of other keys is neither raised nor refreshed.
	b.store.highest.Store(far + 1)
	other := xmrwallet.NewSpender("exchange", monero.OpenWallet{Daemon: w.daemon, Spend: w.customer, Deriver: b.deriver(t)}, b.store)
	require.ErrorIs(t, other.CatchUp(t.Context()), xmrwallet.ErrMismatch)
}

// payAll pays each address a unit, in one transaction.
func (w *moneroFixture) payAll(t *testing.T, addresses []string) (txHash string) {
	t.Helper()
	w.refresh(t)
	var to []monero.Destination
	for _, a := range addresses {
		to = append(to, monero.Destination{Address: a, Amount: money.OneXMR / 10})
	}
	tx, err := w.customer.Transfer(t.Context(), to, []uint32{0})
	require.NoError(t, err)
	w.send(t, transaction{hash: tx.Hash, raw: tx.BlobHex})
	w.mine(t, 1)
	return tx.Hash
}

func (b *bench) deriver(t *testing.T) *monero.Deriver {
	t.Helper()
	viewKey, err := config.ReadSecret(b.config.Monero.ViewKeyFile)
	require.NoError(t, err)
	deriver, err := monero.NewDeriver(b.config.Monero.PrimaryAddress, viewKey)
	require.NoError(t, err)
	return deriver
}

func (b *bench) derive(t *testing.T, index uint32) string {
	t.Helper()
	return b.deriver(t).Subaddress(0, index)
}

// spender opens the process that spends once more.
func (b *bench) spender(t *testing.T) *xmrwallet.Spender {
	t.Helper()
	login, err := config.ReadSecret(b.config.Monero.LoginFile)
	require.NoError(t, err)
	return xmrwallet.NewSpender("exchange", monero.OpenWallet{
		Daemon:  monero.NewDaemon(monero.Endpoint{URL: "http://" + b.stack.Addr("monerod")}, unhurried()),
		Spend:   monero.NewWallet(monero.Endpoint{URL: b.config.Monero.SpendURL, Login: login}, unhurried()),
		Deriver: b.deriver(t),
	}, b.store)
}
