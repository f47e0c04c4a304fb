//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/durapay/durapay/e2e/fixture"
)

// restore makes a backup, loses the machine, and continues the installation in an
// empty folder. Of its volumes it keeps only the chains, which the networks would
// send again. A payment that arrives in between is found.
func (d *day) restore(ctx context.Context) {
	waiting := fixture.Must(d.shop.Sell(ctx, "0.07"))
	d.backup(ctx)
	sent := fixture.Must(d.chains.Customer.Pay(ctx, fixture.Outputs(waiting)...))
	fixture.Do(d.chains.Chain.MineInto(ctx, sent.Hash))
	d.lose(ctx)
	d.begin(ctx)
	fixture.Do(d.chains.Chain.Mine(ctx, 2*fixture.UnlockBlocks))
	d.confirmedOnce(ctx, sale{waiting, sent})
	fixture.Sayf("a charge of before the backup, paid while there was no installation, is confirmed")
	d.sweepAll(ctx)
}

// backup follows "Backup and restore" of docs/operations.md.
func (d *day) backup(ctx context.Context) {
	for _, command := range [][]string{
		{"docker", "compose", "stop", "merchant-api", "merchant-api-more", "swap-api", "worker", "worker-more"},
		{"deploy/postgres/backup.sh", d.engine.path("backup/databases"), d.engine.path("backup/secrets")},
		{"docker", "compose", "exec", "litecoind", "litecoin-cli", "-conf=/tmp/litecoin.conf", "-rpcwallet=exchange", "backupwallet", "/litecoin/backup.dat"},
		{"docker", "compose", "cp", "litecoind:/litecoin/backup.dat", d.engine.path("backup/exchange.dat")},
		{"docker", "compose", "up", "-d"},
	} {
		fixture.Must(d.engine.run(ctx, d.site.dir, command[0], command[1:]...))
	}
	d.green(ctx)
}

// lose ends the installation and takes its folder away. The chains are kept, as
// the networks keep them.
func (d *day) lose(ctx context.Context) {
	d.site.compose(ctx, "--profile", "*", "down", "--timeout", "20")
	for _, name := range []string{"postgres", "wallet-live-spend", "wallet-sandbox", "wallet-exchange-spend", "tor", "edge"} {
		fixture.Must(d.engine.docker(ctx, "volume", "rm", "durapay_"+name))
	}
	litecoin := fixture.Must(d.engine.docker(ctx, "volume", "inspect", "--format", "{{.Mountpoint}}", "durapay_litecoin"))
	fixture.Must(d.engine.run(ctx, d.engine.dir, "sh", "-c", `rm -rf "$0"/regtest/wallets/exchange "$0"/backup.dat`, litecoin))
	d.site.disk = &disk{d.engine}
	d.site.disk.mount(ctx)
	d.site.install(ctx, d.root)
	d.site.writeOverride(moneroArchive(d.engine.path("monero")))
}

// begin follows "To restore, on this machine or another".
func (d *day) begin(ctx context.Context) {
	databases := newest(d.engine.path("backup/databases"))
	secrets := newest(d.engine.path("backup/secrets"))
	d.sh(ctx,
		"mkdir -p secrets && cp -Rp "+secrets+"/. secrets/",
		"cp "+databases+"/settings/.env "+databases+"/settings/durapay.env .",
		"docker compose up -d --wait postgres && docker compose up databases",
		"deploy/postgres/restore.sh "+databases,
	)
	for _, name := range []string{"live", "exchange", "sandbox"} {
		d.walletOfSeed(ctx, name)
	}
	d.walletOfLitecoin(ctx)
	d.site.compose(ctx, "up", "-d")
	d.recover(ctx)
	d.green(ctx)
	d.client = d.trustEdge(ctx)
	d.shop.HTTP = d.client
	// Temporal came back with the rest: nothing is without its workflow.
	d.site.admin(ctx, nil, "reconcile")
}

// everHandedOut is more addresses than the day hands out.
const everHandedOut = "1000"

// recover ends the safe mode of every wallet, which a database begins in that was restored.
func (d *day) recover(ctx context.Context) {
	ended := map[string]bool{}
	until(ctx, "every wallet has left safe mode", func() bool {
		if !d.tryRecover(ctx, ended) {
			return false // the worker and the wallets are starting, and are asked again
		}
		for id, is := range maps.Clone(ended) {
			if !is {
				d.tryRecover(ctx, ended, "--wallet="+id, "--addresses-up-to="+everHandedOut)
			}
		}
		return !slices.Contains(slices.Collect(maps.Values(ended)), false)
	})
}

// tryRecover notes the wallets that have left safe mode.
func (d *day) tryRecover(ctx context.Context, ended map[string]bool, more ...string) bool {
	command := append([]string{"compose", "exec", "-T", "worker", "durapay", "admin", "--json", "recover", "--apply"}, more...)
	out, err := d.engine.run(ctx, d.site.dir, "docker", command...)
	var wallets []struct {
		ID    string `json:"wallet_id"`
		Ended bool   `json:"ended"`
	}
	if err != nil || json.Unmarshal([]byte(out), &wallets) != nil {
		return false
	}
	for _, w := range wallets {
		ended[w.ID] = ended[w.ID] || w.Ended
	}
	return true
}

func newest(folder string) string {
	all := fixture.Must(filepath.Glob(filepath.Join(folder, "*")))
	fixture.Requiref(len(all) > 0, "%s is empty", folder)
	return all[len(all)-1]
}

// seeds are the words that create-wallets has shown, by the wallet's name.
func seeds(shown string) map[string]string {
	found := map[string]string{}
	for _, match := range regexp.MustCompile(`== (\w+): write these 25 words on paper[^\n]*\n((?:[a-z ]+\s*\n){3})`).FindAllStringSubmatch(shown, -1) {
		found[match[1]] = strings.Join(strings.Fields(match[2]), " ")
	}
	return found
}

// walletOfSeed makes the file of a wallet again.
func (d *day) walletOfSeed(ctx context.Context, name string) {
	cli := `docker compose run --rm -T --entrypoint monero-wallet-cli create-wallets --offline --no-dns --password-file /secrets/wallet-password \
		--restore-height 1 --subaddress-lookahead 1:1 --log-file /dev/null --command wallet_info `
	folder := name + "-spend"
	if name == "sandbox" {
		folder = name
	}
	script := fmt.Sprintf("printf '%%s\\n\\n' \"$0\" | %s --restore-deterministic-wallet --generate-new-wallet /wallets/%s/wallet", cli, folder)
	fixture.Must(d.engine.run(ctx, d.site.dir, "sh", "-ec", script, d.seeds[name]))
}

// walletOfLitecoin puts the backup back, as docs/operations.md has it.
func (d *day) walletOfLitecoin(ctx context.Context) {
	d.sh(ctx,
		"docker compose up -d --wait litecoind",
		"docker compose exec litecoind mkdir -p -m 0700 /litecoin/regtest/wallets/exchange",
		"docker compose exec -T litecoind sh -c 'umask 077; cat >/litecoin/regtest/wallets/exchange/wallet.dat' <"+d.engine.path("backup/exchange.dat"),
		"docker compose exec litecoind litecoin-cli -conf=/tmp/litecoin.conf loadwallet exchange true",
	)
}

// sh runs commands of a shell in the folder of the installation.
func (d *day) sh(ctx context.Context, commands ...string) {
	for _, command := range commands {
		fixture.Must(d.engine.run(ctx, d.site.dir, "sh", "-ec", command))
	}
}
