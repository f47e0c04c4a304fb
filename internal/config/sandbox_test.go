package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// With a wallet and no daemon of its own the sandbox would be paid with live money.
func TestASandboxWithAWalletNeedsItsDaemon(t *testing.T) {
	setRequired(t)
	t.Setenv("SANDBOX_CHAIN", "wallet")
	_, err := config.Load()
	require.ErrorContains(t, err, "SANDBOX_MONEROD_RPC_URL")
	t.Setenv("SANDBOX_MONEROD_RPC_URL", "http://127.0.0.1:38081")
	t.Setenv("SANDBOX_MONEROD_LOGIN_FILE", "/login")
	t.Setenv("SANDBOX_MONEROD_ZMQ_ADDRESS", "127.0.0.1:38083")
	c, err := config.Load()
	require.NoError(t, err)
	require.Equal(t, []string{"http://127.0.0.1:38081", "/login", "127.0.0.1:38083"},
		[]string{c.SandboxMonerodURL, c.SandboxMonerodLoginFile, c.SandboxMonerodZMQ})
	t.Setenv("SANDBOX_MONEROD_ZMQ_ADDRESS", "tcp://127.0.0.1:38083")
	_, err = config.Load()
	require.ErrorContains(t, err, "SANDBOX_MONEROD_ZMQ_ADDRESS")
	t.Setenv("SANDBOX_MONEROD_ZMQ_ADDRESS", "")
	t.Setenv("SANDBOX_CHAIN", "simulated")
	_, err = config.Load()
	require.NoError(t, err, "charges from before are followed there")
}

func TestWalletsAreDistinguishedByMode(t *testing.T) {
	t.Parallel()
	list := []config.WalletEntry{{ID: "a", Mode: config.Live}, {ID: "b", Mode: config.Sandbox}, {ID: "c", Mode: config.Live}}
	require.Equal(t, []string{"a", "c"}, config.OfMode(list, config.Live))
	require.Equal(t, []string{"b"}, config.OfMode(list, config.Sandbox))
}

// Without a wallet every test charge would be refused: that is said at the start.
func TestASandboxWithAWalletNeedsTheWallet(t *testing.T) {
	t.Parallel()
	entry := func(mode config.Mode) string {
		return `{"id": "` + string(mode) + `", "mode": "` + string(mode) + `", "primary_address": "4", "view_key_file": "/key", "spend_url": "http://s"}`
	}
	c := config.Config{}
	c.WalletsFile = filepath.Join(t.TempDir(), "wallets.json")
	load := func(text string, chain config.SandboxChain) error {
		require.NoError(t, os.WriteFile(c.WalletsFile, []byte(text), 0o600))
		c.SandboxChain = chain
		_, err := c.MerchantWallets()
		return err
	}
	alone, both := "["+entry(config.Live)+"]", "["+entry(config.Live)+","+entry(config.Sandbox)+"]"
	require.NoError(t, load(both, config.SandboxWallet))
	require.NoError(t, load(alone, config.SandboxSimulated))
	require.ErrorContains(t, load(alone, config.SandboxWallet), "needs a wallet of mode sandbox")
	require.ErrorContains(t, load("[]", config.SandboxWallet), "needs a wallet of mode sandbox")
}
