package scan

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/testkit"
)

// maxWait is the time that tests wait on a busy machine.
const maxWait = 20 * time.Minute

// startProcess starts monerod or monero-wallet-rpc, waits until it answers, and kills it at
// the end of the test. It returns its URL.
func startProcess(tb testing.TB, name, ready string, port int, args ...string) string {
	tb.Helper()
	dir := tb.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(tb, err)
	defer log.Close()
	cmd := exec.CommandContext(tb.Context(), name, append(args, "--rpc-bind-ip", "127.0.0.1", "--rpc-bind-port", fmt.Sprint(port),
		"--rpc-ssl", "disabled", "--disable-rpc-ban", "--non-interactive")...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	require.NoError(tb, cmd.Start(), "install Debian's package monero")
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); tb.Failed() && err == nil {
			tb.Logf("%s:\n%s", name, text[max(0, len(text)-2000):])
		}
	})
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	require.Eventually(tb, func() bool { return ask(tb, url, ready, struct{}{}, nil) == nil }, maxWait, 50*time.Millisecond)
	return url
}

// startDaemon starts a monerod with a chain of its own.
func startDaemon(tb testing.TB) string {
	tb.Helper()
	return startProcess(tb, "monerod", "get_info", testkit.Port(tb),
		"--regtest", "--offline", "--fixed-difficulty", "1", "--no-igd", "--data-dir", tb.TempDir(),
		"--p2p-bind-ip", "127.0.0.1", "--p2p-bind-port", fmt.Sprint(testkit.Port(tb)), "--no-zmq", "--check-updates", "disabled")
}

// keys are those of a wallet. A wallet without spend only watches.
type keys struct{ spend, view *edwards25519.Scalar }

func (k keys) primary() monero.Address {
	return monero.Address{Kind: monero.KindStandard, Spend: [32]byte(base(k.spend)), View: [32]byte(base(k.view))}
}

// startWallet starts a monero-wallet-rpc with these keys.
func startWallet(t *testing.T, daemon string, k keys, watchOnly bool) string {
	t.Helper()
	dir := t.TempDir()
	url := startProcess(t, "monero-wallet-rpc", "get_version", testkit.Port(t),
		"--disable-rpc-login", "--wallet-dir", dir, "--daemon-address", daemon, "--daemon-ssl", "disabled",
		"--trusted-daemon", "--no-dns", "--shared-ringdb-dir", filepath.Join(dir, "ring"))
	params := map[string]any{
		"filename": "w", "password": "", "address": k.primary().String(), "viewkey": hexOf(k.view), "restore_height": 0,
	}
	if !watchOnly {
		params["spendkey"] = hexOf(k.spend)
	}
	call(t, url, "generate_from_keys", params, nil)
	call(t, url, "auto_refresh", map[string]any{"enable": false}, nil)
	return url
}

func hexOf(s *edwards25519.Scalar) string { return fmt.Sprintf("%x", s.Bytes()) }
