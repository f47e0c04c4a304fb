package deploy_test

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/testkit"
	"github.com/durapay/durapay/workflows"
)

// maxWait is the maximum time for an answer of a server on a busy machine.
const maxWait = 8 * time.Minute

// script returns a command for one of the scripts that containers run, with its variables.
func script(ctx context.Context, file string, env []string, args ...string) *exec.Cmd {
	path := os.Getenv("PATH")
	if tool, err := programs.Temporal.Find(root); err == nil {
		path = filepath.Dir(tool) + ":" + path
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{file}, args...)...)
	cmd.Env = append([]string{"PATH=" + path, "HOME=" + os.TempDir()}, env...)
	return cmd
}

// run runs a script that must succeed and returns its output.
func run(t *testing.T, file string, env []string, args ...string) string {
	t.Helper()
	out, err := script(t.Context(), file, env, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// secrets returns a folder that deploy/secrets.sh has created.
func secrets(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "secrets")
	run(t, "secrets.sh", nil, dir)
	return dir
}

func content(t *testing.T, elements ...string) string {
	t.Helper()
	return strings.TrimSpace(read(t, filepath.Join(elements...)))
}

func TestSecretsAreMadeOnceAndForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := secrets(t)
	before := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		if !d.IsDir() {
			before[path] = content(t, path)
		}
		return nil
	}))
	run(t, "secrets.sh", nil, dir)
	for path, was := range before {
		require.Equal(t, was, content(t, path), path)
	}
	require.NotEqual(t, before[filepath.Join(dir, "durapay-db-password")], before[filepath.Join(dir, "temporal-db-password")])
	logins := map[string]bool{}
	for _, wallet := range []string{"live-spend", "sandbox", "stagenet", "exchange-spend"} {
		login := before[filepath.Join(dir, wallet+"-login")]
		require.Regexp(t, `^durapay:[0-9a-f]{48}$`, login)
		require.False(t, logins[login], "each wallet has a login of its own")
		logins[login] = true
	}
	for name := range project(t, chosen()...).Secrets {
		if !strings.HasSuffix(name, "-view-key") { // created with the wallets
			require.Contains(t, before, filepath.Join(dir, name))
		}
	}
}

func TestScriptsPrepareTheServers(t *testing.T) {
	t.Parallel()
	s := stack.ForTest(t, stack.Options{Env: map[string]string{}, Parts: []string{"postgres", "temporal", "monerod"}})
	dir := secrets(t)
	t.Run("databases", func(t *testing.T) { testDatabases(t, s, dir) })
	t.Run("namespace", func(t *testing.T) { testNamespace(t, s) })
	t.Run("wallets", func(t *testing.T) { testWallets(t, s, dir) })
}

// testDatabases creates roles and databases twice, then connects like the services: with the
// URL of the compose file and the password from its file.
func testDatabases(t *testing.T, s *stack.Stack, dir string) {
	host, port, err := net.SplitHostPort(s.Addr("postgres"))
	require.NoError(t, err)
	admin := filepath.Join(t.TempDir(), "pgpass")
	require.NoError(t, os.WriteFile(admin, []byte("*:*:*:postgres:"+content(t, s.Dir(), "secrets", "postgres-admin")), 0o600))
	env := []string{"SECRETS_DIR=" + dir, "PGHOST=" + host, "PGPORT=" + port, "PGUSER=postgres", "PGDATABASE=postgres", "PGPASSFILE=" + admin}
	for range 2 {
		require.Empty(t, run(t, "postgres/databases.sh", env))
	}
	url := *project(t, chosen()...).Services["worker"].Environment["DATABASE_URL"]
	settings, err := pgx.ParseConfig(strings.Replace(url, "/run/secrets/", dir+"/", 1))
	require.NoError(t, err)
	require.Equal(t, content(t, dir, "durapay-db-password"), settings.Password)
	number, err := strconv.ParseUint(port, 10, 16)
	require.NoError(t, err)
	settings.Host, settings.Port = host, uint16(number)
	conn, err := pgx.ConnectConfig(t.Context(), settings)
	require.NoError(t, err)
	var owners string
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT string_agg(datname || ':' || pg_get_userbyid(datdba), ' ' ORDER BY datname)
		FROM pg_database WHERE datname ~ '^(durapay|temporal)'`).Scan(&owners))
	require.Equal(t, "durapay:durapay temporal:temporal temporal_visibility:temporal", owners)
	require.NoError(t, conn.Close(t.Context()))
}

// testNamespace registers the namespace and search attributes of the workflows twice.
func testNamespace(t *testing.T, s *stack.Stack) {
	env := []string{"TEMPORAL_ADDRESS=" + s.Addr("temporal"), "TEMPORAL_NAMESPACE=durapay", "NAMESPACE_RETENTION=168h"}
	for range 2 {
		run(t, "temporal/namespace.sh", env)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		listed, err := script(t.Context(), "-c", env, "temporal operator search-attribute list -n durapay -o json").CombinedOutput()
		require.NoError(c, err, "%s", listed)
		for name, kind := range searchAttributes() {
			require.Regexp(c, fmt.Sprintf(`"%s":\s*"(INDEXED_VALUE_TYPE_)?(?i:%s)"`, name, kind), string(listed))
		}
	}, maxWait, 200*time.Millisecond)
}

// searchAttributes returns the search attributes that workflows set, by name, with their type.
func searchAttributes() map[string]string {
	all := map[string]string{}
	for _, key := range []temporal.SearchAttributeKey{
		workflows.MerchantIDKey, workflows.ChargeStatusKey, workflows.AmountXMRKey, workflows.SandboxKey,
		workflows.StuckKey, workflows.PayoutStatusKey, workflows.DeliveryStatusKey, workflows.WalletIDKey, workflows.TradeStatusKey,
		workflows.SwapStatusKey,
	} {
		all[key.GetName()] = enums.IndexedValueType_name[int32(key.GetValueType())]
	}
	return all
}

// testWallets creates wallets like an operator and serves one like the compose file.
func testWallets(t *testing.T, s *stack.Stack, dir string) {
	wallets := t.TempDir()
	for _, name := range []string{"live-spend", "sandbox", "exchange-spend"} {
		require.NoError(t, os.Mkdir(filepath.Join(wallets, name), 0o700))
	}
	env := []string{
		"SECRETS_DIR=" + dir, "WALLETS_DIR=" + wallets, "WALLET_PASSWORD_FILE=" + filepath.Join(dir, "wallet-password"),
		"WALLET_LOGIN_FILE=" + filepath.Join(dir, "live-spend-login"), "MONEROD_ADDRESS=" + s.Addr("monerod"), "WALLET_LISTEN=127.0.0.1",
		"WALLET_PORT=" + freePort(t),
	}
	shown := run(t, "image/monero/create-wallets.sh", env, "1")
	requireWallets(t, filepath.Join(dir, "wallets.json"))
	requireExchangeWallets(t, filepath.Join(dir, "exchange-wallets.json"))
	testStagenetWallet(t, dir, wallets, env)
	for _, name := range []string{"live", "sandbox", "exchange"} {
		_, err := monero.NewDeriver(content(t, dir, name+"-address"), content(t, dir, name+"-view-key"))
		require.NoError(t, err, "the view key is the address's")
	}
	require.Len(t, regexp.MustCompile(`(?m)^([a-z]+ ){7,8}[a-z]+$`).FindAllString(shown, -1), 9, "three seeds of three lines")
	address := content(t, dir, "live-address")
	require.NotContains(t, run(t, "image/monero/create-wallets.sh", env, "1"), "25 words", "what exists is left alone")
	require.Equal(t, address, content(t, dir, "live-address"))

	shown = run(t, "-c", env, `monero-wallet-cli --offline --no-dns --daemon-ssl disabled --password-file "$WALLET_PASSWORD_FILE" --log-file /dev/null `+
		`--wallet-file "$WALLETS_DIR/live-spend/wallet" --command set </dev/null`)
	require.Contains(t, shown, "refresh-from-block-height = 1\n", "it heeds the height")

	served := script(t.Context(), "image/monero/start-wallet.sh", env, filepath.Join(wallets, "live-spend", "wallet"))
	served.Cancel = func() error { return served.Process.Signal(os.Interrupt) }
	require.NoError(t, served.Start())
	t.Cleanup(func() { require.NoError(t, served.Process.Kill()); _ = served.Wait() })
	url := "http://127.0.0.1:" + strings.TrimPrefix(env[len(env)-1], "WALLET_PORT=")
	require.Eventually(t, func() bool {
		return script(t.Context(), "image/monero/wallet-health.sh", env, url).Run() == nil
	}, maxWait, 200*time.Millisecond)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "live-spend-login"), []byte(content(t, dir, "sandbox-login")), 0o600))
	require.Error(t, script(t.Context(), "image/monero/wallet-health.sh", env, url).Run(), "the login of this wallet is asked for")
}

// TestWalletsOfBeforeKeepTheirLogin checks wallets that were listed with one login for all:
// they keep it when secrets.sh creates the logins of each, so that the list and the processes
// use the same login.
func TestWalletsOfBeforeKeepTheirLogin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	write("wallet-login", "durapay:of all\n")
	write("wallets.json", `[{"login_file": "/run/secrets/wallet-login"}]`)
	run(t, "secrets.sh", nil, dir)
	for _, wallet := range []string{"live-spend", "sandbox", "exchange-spend"} {
		require.Equal(t, "durapay:of all", content(t, dir, wallet+"-login"))
	}
	require.True(t, hasSecret(project(t, chosen()...).Services["worker"], "/run/secrets/wallet-login"), "older lists name it")
}

func freePort(t *testing.T) string {
	t.Helper()
	return strconv.Itoa(testkit.Port(t))
}

func TestTorTakesItsConfiguration(t *testing.T) {
	t.Parallel()
	stack.SkipShort(t)
	tor, err := programs.Tor.Find(root)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	torrc := filepath.Join(dir, "torrc")
	require.NoError(t, os.WriteFile(torrc, []byte(strings.ReplaceAll(read(t, "tor/torrc"), "/var/lib/tor", dir)), 0o600))
	out, err := exec.CommandContext(t.Context(), tor, "--verify-config", "-f", torrc, "--defaults-torrc", os.DevNull).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "Configuration was valid")
}
