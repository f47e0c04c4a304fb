package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/internal/monero"
)

// wallet is a monero-wallet-rpc process on one wallet file. After a kill and a restart it
// opens the file by itself.
type wallet struct {
	// part is the part's name.
	part string
	// keys names the key pair. Processes with the same keys are one wallet.
	keys string
	// port is the usual port.
	port int
	// settle runs when the wallet is ready.
	settle func(context.Context, *Stack) error
	// daemon is the part that it connects to, monerod if empty; rather is one that it uses
	// instead, in a stack that has it.
	daemon, rather string
	// asked is that of the part.
	asked bool
}

// inTemplate reports whether stacks copy the wallet's file from the template.
func (w wallet) inTemplate() bool { return !w.asked || slices.Contains(SandboxWallets(), w.part) }

// wallets returns the two wallets of the merchants' service, the one of the exchange, and the
// wallet of a paying customer. Those of the other daemons follow: copies of the wallets that
// pay, and a wallet with the sandbox's keys and stagenet addresses.
func wallets() []wallet {
	return []wallet{
		{part: "wallet-spend", keys: "live", port: 28083},
		{part: "wallet-sandbox-spend", keys: "sandbox", rather: sandboxDaemon, asked: true, port: 28085},
		{part: "wallet-customer", keys: "customer", port: 28086, settle: customerFunds().settle},
		{part: "wallet-exchange-spend", keys: "exchange", port: 28088, settle: settleExchange},

		{part: "wallet-fork-live", keys: "live", daemon: moneroFork, asked: true, port: 28093},
		{part: "wallet-fork-customer", keys: "customer", daemon: moneroFork, asked: true, port: 28096},
		{part: "wallet-fork-exchange", keys: "exchange", daemon: moneroFork, asked: true, port: 28098},
		{part: "wallet-sandbox-customer", keys: "customer", daemon: sandboxDaemon, asked: true, port: 28103},
		{part: stagenetWallet, keys: "sandbox", daemon: stagenetDaemon, asked: true, port: 28106},
	}
}

func (w wallet) declare() part {
	p := part{
		name:     w.part,
		asked:    w.asked,
		needs:    []string{w.daemonOf(nil)},
		ports:    []port{{w.part, w.port}},
		programs: []programs.Program{programs.WalletRPC, programs.WalletCLI},
		files:    true,
		prepare:  w.prepare,
		command:  w.command,
		ready:    speaks(w.part, "get_height"),
		settle:   w.settle,
	}
	if w.rather != "" {
		p.after = []string{w.rather}
	}
	return p
}

// daemonOf returns the daemon that the wallet uses in a stack; the usual one without a stack.
func (w wallet) daemonOf(s *Stack) string {
	if s != nil && w.rather != "" && s.has(w.rather) {
		return w.rather
	}
	return cmp.Or(w.daemon, "monerod")
}

func (w wallet) file(s *Stack) string { return s.path("data", w.part, "wallet") }

// network returns the options of the wallet's network.
func (w wallet) network() []string {
	if w.daemon == stagenetDaemon {
		return []string{"--stagenet"}
	}
	return nil
}

// prepare creates the wallet file from the generated keys.
func (w wallet) prepare(ctx context.Context, s *Stack) error {
	if _, err := os.Stat(w.file(s) + ".keys"); err == nil {
		return nil
	}
	keys, err := s.walletKeys(ctx, w.keys)
	if err != nil {
		return err
	}
	if w.daemon == stagenetDaemon {
		_, err = s.walletCLI(ctx, w.file(s), append(w.network(), "--generate-from-spend-key", w.file(s)), keys.spend)
		return err
	}
	// The file with the keys is copied last and marks the wallet as complete.
	if err := copyTree(ctx, w.file(s), s.walletFile(w.keys)); err != nil {
		return err
	}
	return copyTree(ctx, w.file(s)+".keys", s.walletFile(w.keys)+".keys")
}

func (w wallet) command(s *Stack) (command, error) {
	return command{args: append([]string{
		"--wallet-file", w.file(s), "--password", "",
		"--rpc-bind-ip", "127.0.0.1", "--rpc-bind-port", strconv.Itoa(s.ports[w.part]),
		"--disable-rpc-login", "--rpc-ssl", "disabled", "--disable-rpc-ban",
		"--daemon-address", s.Addr(w.daemonOf(s)), "--daemon-ssl", "disabled", "--trusted-daemon",
		"--no-dns", "--non-interactive", "--shared-ringdb-dir", s.path("data", w.part, "ringdb"),
		"--log-file", s.path("log", w.part+"-own.log"),
	}, w.network()...)}, nil
}

// walletKeys are the keys of a wallet, in hex, and its primary address.
type walletKeys struct{ spend, view, address string }

// walletKeys returns the named keys, which are generated at their first use. The wallet
// program derives the view key and the address from the spend key.
func (s *Stack) walletKeys(ctx context.Context, name string) (walletKeys, error) {
	s.keysMu.Lock()
	defer s.keysMu.Unlock()
	if err := s.makeSecret(name + "-spend-key"); err != nil {
		return walletKeys{}, err
	}
	spend := s.secret(name + "-spend-key")
	// A key must be less than the order of the curve, a little over 2^252:
	// the last byte is the highest.
	keys := walletKeys{spend: spend[:62] + "0" + spend[63:]}
	keys.view, keys.address = s.secret(name+"-view-key"), s.walletAddress(name)
	if keys.view != "" && keys.address != "" {
		return keys, nil
	}
	if err := s.deriveKeys(ctx, name, &keys); err != nil {
		return walletKeys{}, err
	}
	return keys, errors.Join(
		writeFile(s.viewKeyFile(name), []byte(keys.view+"\n")),
		writeFile(s.path("secrets", name+"-address"), []byte(keys.address+"\n")),
	)
}

// StagenetKeys returns the primary address and the private view key of the stagenet wallet.
func (s *Stack) StagenetKeys(ctx context.Context) (address, viewKey string, err error) {
	keys, err := s.walletKeys(ctx, "sandbox")
	if err != nil {
		return "", "", err
	}
	a, err := monero.ParseAddress(keys.address)
	a.Network = monero.Stagenet
	return a.String(), keys.view, err
}

func (s *Stack) viewKeyFile(name string) string { return s.path("secrets", name+"-view-key") }

// walletAddress returns the primary address; empty before the wallet was created.
func (s *Stack) walletAddress(name string) string { return s.secret(name + "-address") }

// walletFile returns the file of a new wallet with the named keys, which other parts copy.
func (s *Stack) walletFile(name string) string { return s.path("secrets", name+"-wallet") }

// deriveKeys creates the wallet file and reads its view key and address.
func (s *Stack) deriveKeys(ctx context.Context, name string, keys *walletKeys) error {
	dir, err := os.MkdirTemp(s.path("data"), "keys-*")
	if err != nil {
		return fmt.Errorf("wallet keys: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	made := filepath.Join(dir, "wallet")
	out, err := s.walletCLI(ctx, made, []string{"--generate-from-spend-key", made}, keys.spend)
	if err != nil {
		return err
	}
	address := regexp.MustCompile(`Generated new wallet: (4\w{94})`).FindStringSubmatch(out)
	view := regexp.MustCompile(`View key: ([0-9a-f]{64})`).FindStringSubmatch(out)
	if address == nil || view == nil {
		return errors.New("wallet keys: monero-wallet-cli printed no address and view key")
	}
	keys.address, keys.view = address[1], view[1]
	return errors.Join(
		os.Rename(made, s.walletFile(name)), os.Rename(made+".keys", s.walletFile(name)+".keys"))
}

// walletCLI creates a wallet file without prompts: the answers are those to the program's
// questions. The smallest lookahead makes new addresses cheap.
func (s *Stack) walletCLI(ctx context.Context, file string, how []string, answers ...string) (string, error) {
	path, err := programs.WalletCLI.Find(s.root)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, append(how, "--password", "", "--restore-height", "1",
		"--subaddress-lookahead", "1:1", "--mnemonic-language", "English",
		"--use-english-language-names", "--offline", "--no-dns",
		"--log-file", s.path("log", "monero-wallet-cli.log"),
		"--shared-ringdb-dir", filepath.Join(filepath.Dir(file), "ringdb"),
		"--command", "wallet_info")...)
	cmd.Stdin = strings.NewReader(strings.Join(answers, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		// Its output may contain keys.
		return "", fmt.Errorf("monero-wallet-cli: %w", err)
	}
	return string(out), nil
}
