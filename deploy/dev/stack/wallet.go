package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// wallet is a monero-wallet-rpc process on one wallet file. After a kill and a restart it
// opens the file by itself.
type wallet struct {
	// part is the part's name.
	part string
	// keys names the key pair. Processes with the same keys are one wallet.
	keys string
	// viewOnly wallets have only the view key.
	viewOnly bool
	// port is the usual port.
	port int
	// settle runs when the wallet is ready.
	settle func(context.Context, *Stack) error
	// envKey names its URL in the env file, or is empty.
	envKey string
	// daemon is the part that it connects to; monerod if empty.
	daemon string
	// asked is that of the part.
	asked bool
}

// wallets returns the two wallets of the merchants' service and the one of the exchange, each
// as a watcher and a spender with the same keys, and the wallet of a paying customer.
func wallets() []part {
	list := []wallet{
		{part: "wallet-watch", keys: "live", viewOnly: true, port: 28082},
		{part: "wallet-spend", keys: "live", port: 28083},
		{part: "wallet-sandbox-watch", keys: "sandbox", viewOnly: true, port: 28084},
		{part: "wallet-sandbox-spend", keys: "sandbox", port: 28085},
		{
			part: "wallet-customer", keys: "customer", port: 28086,
			settle: customerFunds().settle, envKey: "CUSTOMER_WALLET_RPC_URL",
		},
		{part: "wallet-exchange-watch", keys: "exchange", viewOnly: true, port: 28087},
		{part: "wallet-exchange-spend", keys: "exchange", port: 28088, settle: settleExchange},
	}
	return declared(list)
}

func declared(list []wallet) []part {
	result := make([]part, 0, len(list))
	for _, w := range list {
		if w.daemon == "" {
			w.daemon = "monerod"
		}
		result = append(result, w.declare())
	}
	return result
}

func (w wallet) declare() part {
	return part{
		name:     w.part,
		asked:    w.asked,
		needs:    []string{w.daemon},
		ports:    []port{{w.part, w.port}},
		programs: []programs.Program{programs.WalletRPC, programs.WalletCLI},
		prepare:  w.prepare,
		command:  w.command,
		ready: func(ctx context.Context, s *Stack) error {
			return call(ctx, s.url(w.part), "get_height", nil, nil)
		},
		settle: w.settle,
		env: func(s *Stack) map[string]string {
			if w.envKey == "" {
				return nil
			}
			return map[string]string{w.envKey: s.url(w.part)}
		},
	}
}

func (w wallet) file(s *Stack) string { return s.path("data", w.part, "wallet") }

// prepare creates the wallet file from the generated keys.
func (w wallet) prepare(ctx context.Context, s *Stack) error {
	if _, err := os.Stat(w.file(s) + ".keys"); err == nil {
		return nil
	}
	if err := os.MkdirAll(s.path("data", w.part), 0o700); err != nil {
		return fmt.Errorf("wallet: %w", err)
	}
	keys, err := s.walletKeys(ctx, w.keys)
	if err != nil {
		return err
	}
	if w.viewOnly {
		_, err = s.createWallet(ctx, w.file(s), "--generate-from-view-key", keys.address, keys.view)
		return err
	}
	// The file with the keys is copied last and marks the wallet as complete.
	return errors.Join(
		copyFile(w.file(s), s.walletFile(w.keys)),
		copyFile(w.file(s)+".keys", s.walletFile(w.keys)+".keys"))
}

func (w wallet) command(s *Stack) (command, error) {
	path, err := programs.WalletRPC.Find(s.root)
	args := []string{
		"--wallet-file", w.file(s), "--password", "",
		"--rpc-bind-ip", "127.0.0.1", "--rpc-bind-port", strconv.Itoa(s.ports[w.part]),
		"--disable-rpc-login", "--rpc-ssl", "disabled", "--disable-rpc-ban",
		"--daemon-address", s.Addr(w.daemon), "--daemon-ssl", "disabled", "--trusted-daemon",
		"--no-dns", "--non-interactive", "--shared-ringdb-dir", s.path("data", w.part, "ringdb"),
		"--log-file", s.path("log", w.part+"-own.log"),
	}
	return command{path: path, args: args}, err
}
