package e2e

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// loseTemporal takes away everything that Temporal knows. The wallets' files agree
// with the database: nothing is in safe mode, and what is open goes on.
func (d *drill) loseTemporal(t *testing.T) {
	open := d.begin(t)
	d.stop(t, "temporal")
	require.NoError(t, d.stack.Lose("temporal"))
	d.payAll(t, open)
	d.start(t, nothing, "temporal")
	d.reconcile(t)
	d.goesOn(t, open)
}

// olderTemporal puts Temporal's data of the backup back: what began since has no
// workflow, and what ended since is under way again.
func (d *drill) olderTemporal(t *testing.T) {
	open := d.begin(t)
	d.stop(t, "temporal")
	require.NoError(t, d.stack.PutBack(within(t), "temporal", d.backup))
	d.payAll(t, open)
	d.start(t, nothing, "temporal")
	d.reconcile(t)
	d.goesOn(t, open)
}

// olderWallets puts the wallets' files of the backup back. They have read blocks
// with payments to addresses that they do not know. Temporal agrees with the
// database: they are raised.
func (d *drill) olderWallets(t *testing.T) {
	open := d.begin(t)
	wallets := slices.Sorted(maps.Keys(moneroWallets()))
	d.stop(t, wallets...)
	eachWallet(t, func(ctx context.Context, part string) error { return d.stack.PutBack(ctx, part, d.backup) })
	d.payAll(t, open)
	d.putBackWalletLTC(t)
	d.start(t, nothing, wallets...)
	d.goesOn(t, open)
}

// walletsFromSeeds leaves the database and the seeds alone: nobody else knows how
// far the wallets had come, so an operator has to say that the database is current.
func (d *drill) walletsFromSeeds(t *testing.T) {
	open := d.begin(t)
	wallets := slices.Sorted(maps.Keys(moneroWallets()))
	d.stop(t, append(wallets, "temporal")...)
	require.NoError(t, d.stack.Lose("temporal"))
	eachWallet(t, func(ctx context.Context, part string) error {
		return d.stack.RestoreWallet(ctx, part, moneroWallets()[part], d.seeds[part])
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
	for missing := 1; missing > 0; {
		started, _ := d.fixture.reconcile(t)
		missing = 0
		for _, n := range started {
			missing += n
		}
	}
}
