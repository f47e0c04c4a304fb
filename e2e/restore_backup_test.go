package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// moneroWallets are the wallets of Monero that are restored or recreated.
func moneroWallets() []string { return []string{"wallet-exchange-spend", "wallet-spend"} }

// eachWallet does something with every one of these wallets, at once.
func eachWallet(t *testing.T, do func(ctx context.Context, part string) error) {
	t.Helper()
	group, ctx := errgroup.WithContext(within(t))
	for _, part := range moneroWallets() {
		group.Go(func() error { return do(ctx, part) })
	}
	require.NoError(t, group.Wait())
}

// stop ends the services, and then more.
func (d *drill) stop(t *testing.T, more ...string) {
	t.Helper()
	for _, part := range append(services(), more...) {
		require.NoError(t, d.Stack.StopPart(within(t), part))
	}
}

// start starts more, then the services, and runs check while these start: they are
// not ready before safe mode has ended.
func (d *drill) start(t *testing.T, check func(), more ...string) {
	t.Helper()
	for _, part := range more {
		require.NoError(t, d.Stack.StartPart(within(t), part))
	}
	group, ctx := errgroup.WithContext(within(t))
	for _, part := range services() {
		group.Go(func() error { return d.Stack.StartPart(ctx, part) })
	}
	check()
	require.NoError(t, group.Wait())
}

// nothing is due while the services start.
func nothing() {}

// noteSeeds writes down the seeds of the wallets.
func (d *drill) noteSeeds(t *testing.T) {
	t.Helper()
	d.seeds = map[string]string{}
	for _, part := range moneroWallets() {
		words, err := d.Stack.Seed(within(t), part)
		require.NoError(t, err)
		d.seeds[part] = words
	}
	d.seedLTC = d.readSeedLTC(t)
}

// save makes a backup of everything at one moment.
func (d *drill) save(t *testing.T) {
	t.Helper()
	more := append(moneroWallets(), "temporal")
	d.stop(t, more...)
	out, err := exec.CommandContext(within(t), "pg_dump", "--format=custom", "--file", d.dump(), d.Stack.Env()["DATABASE_URL"]).CombinedOutput()
	require.NoError(t, err, string(out))
	for _, part := range more {
		require.NoError(t, d.Stack.Save(within(t), part, d.backup))
	}
	d.exchangeLTC(t, nil, "backupwallet", d.backupLTC())
	d.start(t, nothing, more...)
}

func (d *drill) dump() string      { return filepath.Join(d.backup, "durapay.dump") }
func (d *drill) backupLTC() string { return filepath.Join(d.backup, "wallet.dat") }

// restoreDatabase puts the dump in the place of the database.
func (d *drill) restoreDatabase(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(within(t), "pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction",
		"--dbname", d.Stack.Env()["DATABASE_URL"], d.dump()).CombinedOutput()
	require.NoError(t, err, string(out))
}

// exchangeLTC calls litecoind, and the exchange's wallet in it.
func (d *drill) exchangeLTC(t *testing.T, into any, method string, params ...any) {
	t.Helper()
	if into == nil {
		into = new(json.RawMessage)
	}
	callLitecoin(t, d.Stack.LitecoinURL("exchange"), into, method, params...)
}

// readSeedLTC finds the seed in the wallet's dump of its keys.
func (d *drill) readSeedLTC(t *testing.T) string {
	t.Helper()
	file := filepath.Join(d.backup, "keys.txt")
	d.exchangeLTC(t, nil, "dumpwallet", file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.Remove(file))
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 2 && words[2] == "hdseed=1" {
			return words[0]
		}
	}
	t.Fatal("the wallet of Litecoin has no seed")
	return ""
}

// loseWalletLTC has litecoind forget the exchange's wallet.
func (d *drill) loseWalletLTC(t *testing.T) (folder string) {
	t.Helper()
	d.exchangeLTC(t, nil, "unloadwallet", nil, false)
	folder = filepath.Join(d.Stack.Dir(), "data", "litecoind", "regtest", "wallets", "exchange")
	require.NoError(t, os.RemoveAll(folder))
	return folder
}

// putBackWalletLTC lets litecoind have the wallet of the backup.
func (d *drill) putBackWalletLTC(t *testing.T) {
	t.Helper()
	folder := d.loseWalletLTC(t)
	require.NoError(t, os.Mkdir(folder, 0o700))
	saved, err := os.ReadFile(d.backupLTC())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "wallet.dat"), saved, 0o600))
	d.ltc(t, new(json.RawMessage), "loadwallet", "exchange", true)
}

// makeWalletLTC makes the wallet again from its seed.
func (d *drill) makeWalletLTC(t *testing.T) {
	t.Helper()
	d.loseWalletLTC(t)
	blank, loadOnStartup := true, true
	d.ltc(t, new(json.RawMessage), "createwallet", "exchange", false, blank, "", false, false, loadOnStartup)
	d.exchangeLTC(t, nil, "sethdseed", true, d.seedLTC)
	d.exchangeLTC(t, nil, "rescanblockchain")
}
