package config_test

import (
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// setRequired sets the settings that have no default. Tests of Load share the
// environment, so they do not run in parallel.
func setRequired(t *testing.T) {
	t.Helper()
	os.Clearenv()
	for key, value := range map[string]string{
		"DATABASE_URL": "postgres://localhost/durapay", "KEYS_DIR": "/k",
	} {
		t.Setenv(key, value)
	}
}

func TestDefaults(t *testing.T) { //nolint:paralleltest // the environment
	setRequired(t)
	c, err := config.Load()
	require.NoError(t, err)
	require.Equal(t, time.Hour, c.ChargeTimeout.Duration())
	require.Equal(t, 15*time.Minute, c.ButtonChargeTimeout.Duration())
	require.Equal(t, 2*time.Hour, c.ConfirmationWindow.Duration())
	require.EqualValues(t, 10, c.ConfirmationsRequired)
	require.Empty(t, c.ConfirmationSteps)
	require.Equal(t, "0", c.Tolerance.String())
	require.Equal(t, "0", c.FeeRate.String())
	require.Equal(t, []string{"kraken", "bitfinex", "exmo"}, c.PriceSources)
	require.Equal(t, 5*time.Minute, c.PriceMaxAge)
	require.Equal(t, "10", c.PriceOutlierPercent.String())
	require.Empty(t, c.PriceURLs)
	require.Empty(t, c.WebhookAllowedNets)
	require.Equal(t, config.Switch(true), c.RateLimits)
	require.Equal(t, slog.LevelInfo, c.LogLevel)
	require.Equal(t, 14*24*time.Hour, c.PrunePhase1Days.Duration())
	require.Equal(t, 30*24*time.Hour, c.PrunePhase2Days.Duration())
}

func TestValuesAreRead(t *testing.T) { //nolint:paralleltest // the environment
	setRequired(t)
	for key, value := range map[string]string{
		"CHARGE_TIMEOUT_MINUTES": "0.05", "CONFIRMATION_WINDOW_MINUTES": "0", "UNDERPAYMENT_TOLERANCE_PERCENT": "0.5",
		"CONFIRMATION_STEPS": "20:2,200:5,*:10", "FEE_RATE": "0.005",
		"WEBHOOK_ALLOWED_NETS": "127.0.0.0/8,::1/128", "PRICE_SOURCES": "static", "LOG_LEVEL": "debug", "RATE_LIMITS": "off",
		"PRICE_URLS": "kraken=http://127.0.0.1:1/a?b=c,exmo=http://127.0.0.1:2", "WATCH_INTERVAL": "250ms",
	} {
		t.Setenv(key, value)
	}
	c, err := config.Load()
	require.NoError(t, err)
	require.Equal(t, 3*time.Second, c.ChargeTimeout.Duration())
	require.Zero(t, c.ConfirmationWindow.Duration())
	require.Equal(t, "0.5", c.Tolerance.String())
	require.Len(t, c.ConfirmationSteps, 3)
	require.EqualValues(t, 10, c.ConfirmationSteps.For(nil))
	require.Equal(t, "0.005", c.FeeRate.String())
	require.Equal(t, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, c.WebhookAllowedNets)
	require.Equal(t, []string{"static"}, c.PriceSources)
	require.Equal(t, map[string]string{"kraken": "http://127.0.0.1:1/a?b=c", "exmo": "http://127.0.0.1:2"}, c.PriceURLs)
	require.Equal(t, slog.LevelDebug, c.LogLevel)
	require.Equal(t, config.Switch(false), c.RateLimits)
	require.Equal(t, 250*time.Millisecond, c.WatchInterval)
}

func TestEmptyMeansDefault(t *testing.T) { //nolint:paralleltest // the environment
	setRequired(t)
	for _, key := range []string{"WEBHOOK_ALLOWED_NETS", "PRICE_URLS", "TRUSTED_PROXIES", "SOCKS5_PROXY", "CHARGE_TIMEOUT_MINUTES", "CONFIRMATIONS_REQUIRED", "CONFIRMATION_STEPS", "FEE_RATE"} {
		t.Setenv(key, "")
	}
	c, err := config.Load()
	require.NoError(t, err)
	require.Empty(t, c.WebhookAllowedNets)
	require.Empty(t, c.TrustedProxies)
	require.Equal(t, time.Hour, c.ChargeTimeout.Duration())
	require.EqualValues(t, 10, c.ConfirmationsRequired)
}

func TestBadValuesAreRefused(t *testing.T) {
	for setting, value := range map[string]string{
		"CONFIRMATIONS_REQUIRED": "0", "ADDRESS_POOL_TARGET": "0", "PUBLIC_URL": "http://x/", "CHARGE_TIMEOUT_MINUTES": "-1",
		"BUTTON_CHARGE_TIMEOUT_MINUTES": "an hour", "CONFIRMATION_WINDOW_MINUTES": "999999999", "UNDERPAYMENT_TOLERANCE_PERCENT": "101",
		"PRICE_OUTLIER_PERCENT": "-1", "RATE_LIMITS": "maybe", "WEBHOOK_ALLOWED_NETS": "10.0.0.0", "LOG_LEVEL": "loud", "PRICE_MAX_AGE": "5",
		"PRICE_REFRESH": "0s", "WATCH_INTERVAL": "-1s", "DATABASE_CONNS": "1", "OFAC_MAX_AGE": "0s", "COIN_PRICE_MAX_AGE": "0s", "COIN_PRICE_SPREAD_PERCENT": "x",
		"CONFIRMATION_STEPS": "20:2", "FEE_RATE": "1",
		"PRUNE_PHASE1_DAYS": "-1", "PRUNE_PHASE2_DAYS": "-1", "ONION_URL": "http://x.onion/",
		"MONEROD_ZMQ_ADDRESS": "tcp://127.0.0.1:18083", "SANDBOX_MONEROD_ZMQ_ADDRESS": "127.0.0.1:38083", "SANDBOX_MONEROD_LOGIN_FILE": "/login",
		"SANDBOX_CHAIN": "stagenet",
	} {
		t.Run(setting, func(t *testing.T) {
			setRequired(t)
			t.Setenv(setting, value)
			_, err := config.Load()
			require.Error(t, err)
		})
	}
	for _, missing := range []string{"DATABASE_URL", "KEYS_DIR"} {
		t.Run(missing, func(t *testing.T) {
			setRequired(t)
			require.NoError(t, os.Unsetenv(missing))
			_, err := config.Load()
			require.ErrorContains(t, err, missing)
		})
	}
}

func TestPausesBetweenPruningFollowWhatIsKeptShortest(t *testing.T) { //nolint:paralleltest // the environment
	for days, want := range map[[2]string]time.Duration{
		{"14", "30"}: time.Hour, {"0.25", "30"}: 36 * time.Minute, {"1", "0.0001"}: 10 * time.Second, {"0", "0"}: 10 * time.Second,
	} {
		setRequired(t)
		t.Setenv("PRUNE_PHASE1_DAYS", days[0])
		t.Setenv("PRUNE_PHASE2_DAYS", days[1])
		c, err := config.Load()
		require.NoError(t, err)
		require.Equal(t, want, c.PruneEvery(), days)
	}
}

func TestReadSecret(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte("  s3cret\n"), 0o600))
	got, err := config.ReadSecret(path)
	require.NoError(t, err)
	require.Equal(t, "s3cret", got)
	got, err = config.ReadSecret("")
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = config.ReadSecret(path + ".missing")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestLoadWallets(t *testing.T) {
	t.Parallel()
	const good = `{"id":"live-1","mode":"live","primary_address":"4A","view_key_file":"/v","spend_url":"http://s"}`
	load := func(content string) ([]config.WalletEntry, error) {
		path := filepath.Join(t.TempDir(), "wallets.json")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return config.LoadWallets(path)
	}
	sandbox := strings.NewReplacer(`"live-1"`, `"sandbox-1"`, `"live"`, `"sandbox"`).Replace(good)
	list, err := load("[" + good + "," + sandbox + "]")
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, config.Live, list[0].Mode)
	require.Equal(t, config.Sandbox, list[1].Mode)
	require.Equal(t, "http://s", list[0].SpendURL)
	for _, bad := range []string{
		"", "{}", "[" + good + "," + good + "]", "[{}]", "[" + strings.Replace(good, `"live"`, `"test"`, 1) + "]",
		"[" + strings.Replace(good, "live-1", "exchange-xmr-Mainnet", 1) + "]",
		"[" + strings.Replace(good, "http://s", "", 1) + "]", "[" + strings.Replace(good, "/v", "", 1) + "]",
	} {
		_, err := load(bad)
		require.ErrorContains(t, err, "WALLETS_FILE", bad)
	}
	_, err = config.LoadWallets(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
