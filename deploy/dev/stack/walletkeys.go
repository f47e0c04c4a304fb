package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// walletKeys are the keys of a wallet, in hex, and its primary address.
type walletKeys struct{ spend, view, address string }

// walletKeys returns the named keys, which are generated at their first use. The wallet
// program derives the view key and the address from the spend key.
func (s *Stack) walletKeys(ctx context.Context, name string) (walletKeys, error) {
	s.keysMu.Lock()
	defer s.keysMu.Unlock()
	spend, err := s.secret(name + "-spend-key")
	if err != nil {
		return walletKeys{}, err
	}
	// A key must be less than the order of the curve, a little over 2^252:
	// the last byte is the highest.
	keys := walletKeys{spend: spend[:62] + "0" + spend[63:]}
	keys.view, keys.address = s.readSecret(name+"-view-key"), s.walletAddress(name)
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

func (s *Stack) viewKeyFile(name string) string { return s.path("secrets", name+"-view-key") }

// walletAddress returns the primary address; empty before the wallet was created.
func (s *Stack) walletAddress(name string) string { return s.readSecret(name + "-address") }

func (s *Stack) readSecret(name string) string {
	b, err := os.ReadFile(s.path("secrets", name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

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
	out, err := s.createWallet(ctx, made, "--generate-from-spend-key", keys.spend)
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

// createWallet creates a wallet file without prompts: the answers are those to the program's
// questions. A small lookahead makes new addresses cheap.
func (s *Stack) createWallet(ctx context.Context, file, how string, answers ...string) (string, error) {
	return s.walletCLI(ctx, file, []string{how, file}, answers...)
}

func (s *Stack) walletCLI(ctx context.Context, file string, how []string, answers ...string) (string, error) {
	path, err := programs.WalletCLI.Find(s.root)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, append(how, "--password", "", "--restore-height", "1",
		"--subaddress-lookahead", "2:20", "--mnemonic-language", "English",
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
