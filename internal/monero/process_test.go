package monero

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/testkit"
)

// process is a real monerod or monero-wallet-rpc that is killed at the end of
// its test.
type process struct {
	name string
	args []string
	dir  string
	port int
	cmd  *exec.Cmd
}

func (p *process) endpoint() Endpoint {
	return Endpoint{URL: fmt.Sprintf("http://127.0.0.1:%d", p.port)}
}

func startProcess(t *testing.T, name, dir string, port int, args ...string) *process {
	t.Helper()
	p := &process{name: name, args: args, dir: dir, port: port}
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			p.showLog(t)
		}
	})
	p.start(t)
	return p
}

func (p *process) logPath() string { return filepath.Join(p.dir, p.name+".out") }

func (p *process) showLog(t *testing.T) {
	text, _ := os.ReadFile(p.logPath())
	t.Logf("%s:\n%s", p.name, text[max(0, len(text)-2000):])
}

// start starts the process, also again after kill, and waits until it listens.
func (p *process) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(p.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	defer log.Close()
	p.cmd = exec.Command(p.name, p.args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = p.dir, log, log
	require.NoError(t, p.cmd.Start(), "install Debian's package monero")
	await(t, func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.port))
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// kill ends the process without a chance to save.
func (p *process) kill() {
	if p.cmd != nil && p.cmd.Process != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		p.cmd = nil
	}
}

// maxWait is the time that tests wait on a busy machine.
const maxWait = 8 * time.Minute

// unhurried returns options with which calls wait however busy the machine is.
func unhurried() Options { return Options{CallTimeout: maxWait} }

// await polls until the condition holds.
func await(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, maxWait, 20*time.Millisecond)
}

// startDaemon starts a monerod with its own chain.
func startDaemon(t *testing.T) (*process, *Daemon) {
	t.Helper()
	dir, port := t.TempDir(), testkit.Port(t)
	p := startProcess(t, "monerod", dir, port,
		"--regtest", "--offline", "--keep-fakechain", "--fixed-difficulty", "1",
		"--non-interactive", "--no-igd", "--data-dir", dir,
		"--rpc-bind-ip", "127.0.0.1", "--rpc-bind-port", fmt.Sprint(port),
		"--p2p-bind-ip", "127.0.0.1", "--p2p-bind-port", fmt.Sprint(testkit.Port(t)),
		"--rpc-ssl", "disabled", "--no-zmq", "--disable-rpc-ban", "--check-updates", "disabled")
	d := NewDaemon(p.endpoint(), unhurried())
	t.Cleanup(d.Close)
	awaitReady(t, func(ctx context.Context) error { _, err := d.Info(ctx); return err })
	return p, d
}

// startWallet starts a monero-wallet-rpc without an open wallet. daemonPort may
// be a port on which no daemon listens.
func startWallet(t *testing.T, daemonPort int, extra ...string) (*process, *Wallet) {
	t.Helper()
	dir, port := t.TempDir(), testkit.Port(t)
	args := append([]string{
		"--rpc-bind-ip", "127.0.0.1", "--rpc-bind-port", fmt.Sprint(port), "--rpc-ssl", "disabled",
		"--wallet-dir", dir, "--daemon-address", fmt.Sprintf("127.0.0.1:%d", daemonPort),
		"--daemon-ssl", "disabled", "--trusted-daemon", "--no-dns", "--disable-rpc-ban",
		"--shared-ringdb-dir", filepath.Join(dir, "ring"), "--non-interactive",
	}, extra...)
	p := startProcess(t, "monero-wallet-rpc", dir, port, args...)
	w := NewWallet(p.endpoint(), unhurried())
	t.Cleanup(w.Close)
	return p, w
}

// startOpenWallet starts a monero-wallet-rpc and restores a wallet from keys in
// it.
func startOpenWallet(t *testing.T, daemonPort int, k testKeys, viewOnly bool) (*process, *Wallet) {
	t.Helper()
	p, w := startWallet(t, daemonPort, "--disable-rpc-login")
	awaitReady(t, func(ctx context.Context) error { _, err := w.Version(ctx); return err })
	params := map[string]any{
		"filename": "w", "password": "", "address": k.address, "viewkey": k.view, "restore_height": 0,
	}
	if !viewOnly {
		params["spendkey"] = k.spend
	}
	restore := call{Method: "generate_from_keys", Params: params, Long: true}
	require.NoError(t, w.client.rpc(t.Context(), restore, nil))
	return p, w
}

// awaitReady polls until a process answers.
func awaitReady(t *testing.T, ask func(context.Context) error) {
	t.Helper()
	await(t, func() bool { return ask(t.Context()) == nil })
}

func needProcesses(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts monerod and monero-wallet-rpc")
	}
}
