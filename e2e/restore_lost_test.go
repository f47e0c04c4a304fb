package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRestoreAfterTemporalWasLost takes away everything that Temporal knows. The wallets' files agree
// with the database: nothing is in safe mode, and what is open goes on.
func TestRestoreAfterTemporalWasLost(t *testing.T) {
	t.Parallel()
	d := openDrill(t)
	open := d.begin(t)
	d.stop(t, "temporal")
	require.NoError(t, d.Stack.Lose("temporal"))
	d.payAll(t, open)
	d.start(t, nothing, "temporal")
	d.reconcile(t)
	d.goesOn(t, open)
}

// TestRestoreOfAnOlderTemporal puts Temporal's data of the backup back: what began since has no
// workflow, and what ended since is under way again.
func TestRestoreOfAnOlderTemporal(t *testing.T) {
	t.Parallel()
	d := openAgedDrill(t)
	open := d.begin(t)
	d.stop(t, "temporal")
	require.NoError(t, d.Stack.PutBack(within(t), "temporal", d.backup))
	d.payAll(t, open)
	d.start(t, nothing, "temporal")
	d.reconcile(t)
	d.goesOn(t, open)
}

// TestRestoreOfOlderWalletFiles puts the wallets' files of the backup back. They have read blocks
// with payments to addresses that they do not know. Temporal agrees with the
// database: they are raised.
func TestRestoreOfOlderWalletFiles(t *testing.T) {
	t.Parallel()
	d := openAgedDrill(t)
	open := d.begin(t)
	wallets := slices.Sorted(maps.Keys(moneroWallets()))
	d.stop(t, wallets...)
	eachWallet(t, func(ctx context.Context, part string) error { return d.Stack.PutBack(ctx, part, d.backup) })
	d.payAll(t, open)
	d.putBackWalletLTC(t)
	d.start(t, nothing, wallets...)
	d.goesOn(t, open)
}

// TestRestoreOfWalletsFromTheirSeeds leaves the database and the seeds alone: nobody else knows how
// far the wallets had come, so an operator has to say that the database is current.
func TestRestoreOfWalletsFromTheirSeeds(t *testing.T) {
	t.Parallel()
	d := openDrill(t)
	d.noteSeeds(t)
	open := d.begin(t)
	wallets := slices.Sorted(maps.Keys(moneroWallets()))
	d.stop(t, append(wallets, "temporal")...)
	require.NoError(t, d.Stack.Lose("temporal"))
	eachWallet(t, func(ctx context.Context, part string) error {
		return d.Stack.RestoreWallet(ctx, part, moneroWallets()[part], d.seeds[part])
	})
	d.payAll(t, open)
	d.makeWalletLTC(t)
	d.start(t, func() {
		d.requireSafeMode(t, "live", "exchange-ltc-Mainnet", "exchange-xmr-Mainnet")
		d.recover(t)
	}, append(wallets, "temporal")...)
	d.reconcile(t)
	d.goesOn(t, open)
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
