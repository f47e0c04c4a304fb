package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/utxo"
)

// TestLitecoindStartsAsInItsContainer starts the daemon with the container's script, runs its
// health check, and creates a wallet as docs/operations.md describes.
func TestLitecoindStartsAsInItsContainer(t *testing.T) {
	t.Parallel()
	stack.SkipShort(t)
	daemon, err := programs.Litecoind.Find(root)
	require.NoError(t, err)
	dir, work, port := secrets(t), t.TempDir(), freePort(t)
	conf := filepath.Join(work, "litecoin.conf")
	env := []string{
		"LITECOIN_LOGIN_FILE=" + filepath.Join(dir, "litecoin-login"), "LITECOIN_SETTINGS_FILE=" + conf, "LITECOIN_DIR=" + work,
		"HOME=/nonexistent",
	}
	served := script(t.Context(), "image/litecoin/start-litecoind.sh", env,
		"-regtest", "-whitebind=noban@127.0.0.1:"+freePort(t), "-discover=0", "-listenonion=0", "-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1", "-rpcport="+port, "-keypool=10")
	require.NoError(t, served.Start())
	t.Cleanup(func() { require.NoError(t, served.Process.Kill()); _ = served.Wait() })

	ask := func(args ...string) ([]byte, error) {
		words := append([]string{"-regtest", "-rpcport=" + port, "-conf=" + conf}, args...)
		cmd := exec.CommandContext(t.Context(), strings.Replace(daemon, "litecoind", "litecoin-cli", 1), words...)
		cmd.Env = []string{"HOME=/nonexistent"}
		return cmd.CombinedOutput()
	}
	check := project(t, chosen()...).Services["litecoind"].HealthCheck.Test
	require.Eventually(t, func() bool {
		_, err := ask(check[3:]...)
		return err == nil
	}, maxWait, 200*time.Millisecond)
	setup := append(slices.Clone(env), "LITECOIN_PASSPHRASE_FILE="+filepath.Join(dir, "litecoin-passphrase"), "LITECOIN_ADDRESS=127.0.0.1:"+port)
	require.Contains(t, run(t, "image/litecoin/create-wallet.sh", setup, "-regtest"), "made, with encrypted keys")
	require.Contains(t, run(t, "image/litecoin/create-wallet.sh", setup, "-regtest"), "nothing is changed")
	// A wallet that was created without a passphrase gets one.
	plain := func(args ...string) {
		out, err := ask(args...)
		require.NoError(t, err, "%s", out)
	}
	plain("unloadwallet", "exchange", "false")
	wallets := filepath.Join(work, "regtest", "wallets")
	require.NoError(t, os.Rename(filepath.Join(wallets, "exchange"), filepath.Join(wallets, "first")))
	plain("-named", "createwallet", "wallet_name=exchange", "load_on_startup=true")
	require.Contains(t, run(t, "image/litecoin/create-wallet.sh", setup, "-regtest"), "encrypted, with new keys")
	require.Contains(t, run(t, "image/litecoin/create-wallet.sh", setup, "-regtest"), "nothing is changed")

	// A lost wallet is restored from its seed and finds its money.
	address := paid(t, ask, content(t, dir, "litecoin-passphrase"))
	seed := seedOf(t, ask, work)
	plain("unloadwallet", "exchange", "false")
	require.NoError(t, os.RemoveAll(filepath.Join(wallets, "exchange")))
	plain("-named", "createwallet", "wallet_name=exchange", "blank=true", "passphrase="+content(t, dir, "litecoin-passphrase")) // and was cut off
	for range 2 {
		again := script(t.Context(), "image/litecoin/create-wallet.sh", append(setup, "LITECOIN_KEYS=40"), "-regtest")
		again.Stdin = strings.NewReader(seed + "\n")
		out, err := again.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "made again of its seed")
	}
	require.Contains(t, run(t, "image/litecoin/create-wallet.sh", setup, "-regtest"), "nothing is changed")
	out, err := ask("-rpcwallet=exchange", "getaddressinfo", address)
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), `"ismine": true`)
	out, err = ask("-rpcwallet=exchange", "getbalances")
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), `"immature": 50.00000000`)

	for _, word := range served.Args {
		require.NotContains(t, word, content(t, dir, "litecoin-login"))
	}
	login, err := os.ReadFile(filepath.Join(dir, "litecoin-login"))
	require.NoError(t, err)
	c, err := utxo.New(utxo.Endpoint{
		URL: "http://127.0.0.1:" + port, Login: strings.TrimSpace(string(login)), Wallet: "exchange",
		Passphrase: content(t, dir, "litecoin-passphrase"),
	}, utxo.Options{CallTimeout: maxWait})
	require.NoError(t, err)
	defer c.Close()
	_, err = c.NewAddress(t.Context())
	require.NoError(t, err)
	watches, err := c.Watches(t.Context(), address)
	require.NoError(t, err)
	require.True(t, watches)
	require.NoError(t, c.MakeKeys(t.Context(), 500), "while the wallet is open")
	require.NoError(t, c.Rescan(t.Context()))
}

// paid sends a block reward to an address far beyond the keys that a new wallet creates, and
// leaves the wallet open.
func paid(t *testing.T, ask func(...string) ([]byte, error), passphrase string) (address string) {
	t.Helper()
	out, err := ask("-rpcwallet=exchange", "walletpassphrase", passphrase, "600")
	require.NoError(t, err, "%s", out)
	for range 30 {
		out, err := ask("-rpcwallet=exchange", "getnewaddress", "", "bech32")
		require.NoError(t, err, "%s", out)
		address = strings.TrimSpace(string(out))
	}
	out, err = ask("generatetoaddress", "1", address)
	require.NoError(t, err, "%s", out)
	return address
}

// seedOf returns the seed of the open wallet, found as docs/operations.md describes.
func seedOf(t *testing.T, ask func(...string) ([]byte, error), dir string) string {
	t.Helper()
	file := filepath.Join(dir, "keys.txt")
	out, err := ask("-rpcwallet=exchange", "dumpwallet", file)
	require.NoError(t, err, "%s", out)
	seed := regexp.MustCompile(`(?m)^(\S+) \S+ hdseed=1`).FindStringSubmatch(read(t, file))
	require.NotNil(t, seed)
	return seed[1]
}
