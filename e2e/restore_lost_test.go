package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRestoreAfterTemporalWasLost takes away all of Temporal's data. The wallets' files agree with
// the database: no wallet is in safe mode, and open charges and trades continue.
func TestRestoreAfterTemporalWasLost(t *testing.T) {
	t.Parallel()
	d := openDrill(t)
	open := d.begin(t)
	d.stop(t, "temporal")
	require.NoError(t, d.Stack.Lose("temporal"))
	d.payAll(t, open)
	d.start(t, nothing, "temporal")
	d.reconcile(t)
	d.requireContinues(t, open)
}

// TestRestoreOfAnOlderTemporal puts Temporal's data of the backup back: charges and trades that
// began since have no workflow, and workflows that ended since run again.
func TestRestoreOfAnOlderTemporal(t *testing.T) {
	t.Parallel()
	d := openAgedDrill(t)
	open := d.begin(t)
	d.stop(t, "temporal")
	require.NoError(t, d.Stack.PutBack(within(t), "temporal", d.backup))
	d.payAll(t, open)
	d.start(t, nothing, "temporal")
	d.reconcile(t)
	d.requireContinues(t, open)
}

// TestRestoreOfOlderWalletFiles puts the wallets' files of the backup back. They have read blocks
// with payments to addresses that they do not know. Temporal agrees with the
// database: they are raised.
func TestRestoreOfOlderWalletFiles(t *testing.T) {
	t.Parallel()
	d := openAgedDrill(t)
	open := d.begin(t)
	wallets := moneroWallets()
	d.stop(t, wallets...)
	eachWallet(t, func(ctx context.Context, part string) error { return d.Stack.PutBack(ctx, part, d.backup) })
	d.payAll(t, open)
	d.putBackWalletLTC(t)
	d.start(t, nothing, wallets...)
	d.requireContinues(t, open)
}

// TestRestoreOfWalletsFromTheirSeeds leaves only the database and the seeds. Nothing else shows how
// far the wallets had come, so an operator has to confirm that the database is current.
func TestRestoreOfWalletsFromTheirSeeds(t *testing.T) {
	t.Parallel()
	d := openDrill(t)
	d.noteSeeds(t)
	open := d.begin(t)
	wallets := moneroWallets()
	d.stop(t, append(wallets, "temporal")...)
	require.NoError(t, d.Stack.Lose("temporal"))
	eachWallet(t, func(ctx context.Context, part string) error {
		return d.Stack.RestoreWallet(ctx, part, d.seeds[part])
	})
	d.payAll(t, open)
	d.makeWalletLTC(t)
	d.start(t, func() {
		d.requireSafeMode(t, "live", "exchange-ltc-Mainnet", "exchange-xmr-Mainnet")
		d.recover(t)
	}, append(wallets, "temporal")...)
	d.reconcile(t)
	d.requireContinues(t, open)
}

// TestRestoreByTheBook loses the machine: database and Temporal of one backup come back,
// which agree, and the wallets are made of their seeds. Since the backup charges were made
// and the merchant was paid out. An operator says what that transaction paid. It is paid
// once, and no address has a second owner.
func TestRestoreByTheBook(t *testing.T) {
	t.Parallel()
	d := openDrill(t)
	d.noteSeeds(t)
	d.payable(t, "0.4")
	d.save(t)
	swept := d.awaitSwept(t)
	for range 10 {
		d.charge(t, "0.1")
	}
	wallets := moneroWallets()
	d.stop(t, append(wallets, "temporal")...)
	d.restoreDatabase(t)
	require.NoError(t, d.Stack.PutBack(within(t), "temporal", d.backup))
	eachWallet(t, func(ctx context.Context, part string) error {
		return d.Stack.RestoreWallet(ctx, part, d.seeds[part])
	})
	d.makeWalletLTC(t)
	require.NoError(t, d.Chain.Mine(within(t), 2))
	d.start(t, func() {
		d.requireSafeMode(t, "live", "exchange-ltc-Mainnet", "exchange-xmr-Mainnet")
		d.requireQuestion(t, *swept.TxHash)
		d.recover(t, "--paid="+*swept.TxHash+"=merchant")
	}, append(wallets, "temporal")...)
	d.reconcile(t)
	payouts, err := d.shop.Payouts(within(t))
	require.NoError(t, err)
	require.Len(t, payouts, 1)
	require.Equal(t, swept.TxHash, payouts[0].TxHash)
	require.Equal(t, swept.AmountXMR, payouts[0].AmountXMR)
	balance, err := d.shop.Balance(within(t))
	require.NoError(t, err)
	require.Zero(t, balance.TotalXMR, "nothing is owed")
	open := d.begin(t)
	d.payAll(t, open)
	d.requireContinues(t, open)
}

// requireQuestion waits until recovering asks what a transaction paid.
func (d *drill) requireQuestion(t *testing.T, txHash string) {
	t.Helper()
	eventually(t, "recovering asks", func(ctx context.Context) error {
		printed, err := d.Stack.Durapay(ctx, "admin", "--json", "recover", "--wallet=live")
		if err != nil {
			return err
		}
		if asks := strings.Contains(string(printed), "--paid="+txHash+"=ANSWER"); !asks {
			return fmt.Errorf("%s", printed)
		}
		return nil
	})
}

// reconcile has workflows started until none is missing.
func (d *drill) reconcile(t *testing.T) {
	t.Helper()
	eventually(t, "no workflow is missing", func(context.Context) error {
		started, _ := d.testbed.reconcile(t)
		for _, n := range started {
			if n > 0 {
				return fmt.Errorf("these were: %v", started)
			}
		}
		return nil
	})
}
