package e2e

import (
	"context"
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/utxo"
)

// overtakeUnbegun takes a deposit back that is deep, and that nobody has begun to
// answer: a withdrawal by hand has put the wallet that would into safe mode. The
// payout is not begun afterwards either, and an operator ends it.
func (f *forked) overtakeUnbegun(t *testing.T) {
	held := f.deal(t, "xmr", "0.24")
	withdrawn := f.withdrawLitecoin(t)
	require.NoError(t, f.fork.Part(within(t)))
	f.pay(t, held)
	require.NoError(t, f.chain.MineInto(within(t), held.deposit))
	require.NoError(t, f.chain.Mine(within(t), deepXMR))
	f.await(t, held, "processing")

	to, err := f.customer.Address(within(t))
	require.NoError(t, err)
	_, err = f.copyOf("customer").TakeBack(within(t), held.deposit, to)
	require.NoError(t, err)
	require.NoError(t, f.fork.Outgrow(within(t), 1))
	require.NoError(t, f.fork.Join(within(t)))
	f.requireKept(t, held.deposit)
	f.awaitNotice(t, alert.TradeUnbacked, held.TradeID)
	f.recover(t, []string{withdrawn}, "exchange-ltc-Mainnet")

	f.mineBoth(t)
	f.awaitScans(t)
	require.Equal(t, "processing", f.look(t, held.TradeID).Status)
	for range 2 {
		require.NoError(t, f.follow(t, "double-spend.md", "trades end TRADE_ID", held.TradeID))
	}
	eventually(t, "the trade has failed", func(context.Context) error {
		if now := f.look(t, held.TradeID); now.Status != "failed" {
			return errors.New(now.Status)
		}
		return nil
	})
	f.awaitNotice(t, alert.TradeFailed, held.TradeID)
	f.mineBoth(t)
	f.awaitScans(t)
	shown, err := f.operate(within(t), "show", held.TradeID)
	require.NoError(t, err)
	require.Len(t, shown.Payments, 1)
	require.Equal(t, "failed", shown.Payments[0].State)
	require.Nil(t, shown.Payments[0].TxHash, "nothing is sent")
}

// withdrawLitecoin is what an operator does who takes coins out of the exchange's
// wallet by hand. The wallet is in safe mode then.
func (f *forked) withdrawLitecoin(t *testing.T) (txHash string) {
	t.Helper()
	wallet, err := regtest.NewLitecoin(within(t), strings.TrimSuffix(f.litecoin, path.Base(f.litecoin))+"exchange")
	require.NoError(t, err)
	defer wallet.Close()
	amount, err := utxo.ParseAmount("0.01")
	require.NoError(t, err)
	txHash, err = wallet.Pay(within(t), f.ltcAddress(t), amount)
	require.NoError(t, err)
	require.NoError(t, f.coins.Mine(within(t), 2))
	f.awaitNotice(t, alert.SafeMode, "exchange-ltc-Mainnet")
	return txHash
}
