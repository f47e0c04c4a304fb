package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/durapay/durapay/internal/charge"
)

// Mode tells the money that counts from the money of tests.
type Mode string

// The two modes; an API key's prefix selects one.
const (
	Live    Mode = "live"
	Sandbox Mode = "sandbox"
)

// WalletEntry is one wallet.
type WalletEntry struct {
	// ID names the wallet in every table; it never changes.
	ID   string `json:"id"`
	Mode Mode   `json:"mode"`

	MoneroWallet
}

// MoneroWallet is a view key, with which payments are found, and a wallet-rpc process that
// can spend.
type MoneroWallet struct {
	// PrimaryAddress is the wallet's address of account 0, index 0.
	PrimaryAddress string `json:"primary_address"`
	// ViewKeyFile holds the private view key (64 hex), which finds payments and derives
	// addresses.
	ViewKeyFile string `json:"view_key_file"`
	// SpendURL is the wallet-rpc.
	SpendURL string `json:"spend_url"`
	// LoginFile holds user:password of its digest auth, or is empty.
	LoginFile string `json:"login_file"`
}

// readList reads the JSON list of a file that a setting names.
func readList[T any](setting, path string) (list []T, err error) {
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return list, nil
}

// LoadWallets reads and checks the list of wallets.
func LoadWallets(path string) ([]WalletEntry, error) {
	list, err := readList[WalletEntry]("WALLETS_FILE", path)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, w := range list {
		switch {
		case w.ID == "" || seen[w.ID]:
			return nil, fmt.Errorf("WALLETS_FILE: id %q is missing or not unique", w.ID)
		case strings.HasPrefix(w.ID, "exchange-"):
			return nil, fmt.Errorf("WALLETS_FILE: wallet %s: ids that begin with exchange- are those of the exchange", w.ID)
		case charge.IsOwn(w.ID):
			return nil, fmt.Errorf("WALLETS_FILE: wallet %s: ids that begin with %s are those of shops' own wallets", w.ID, charge.OwnWalletPrefix)
		case w.Mode != Live && w.Mode != Sandbox:
			return nil, fmt.Errorf("WALLETS_FILE: wallet %s: mode %q", w.ID, w.Mode)
		case w.SpendURL == "" || w.PrimaryAddress == "" || w.ViewKeyFile == "":
			return nil, fmt.Errorf("WALLETS_FILE: wallet %s: a setting is missing", w.ID)
		}
		seen[w.ID] = true
	}
	return list, nil
}

// MerchantWallets are those of WALLETS_FILE. Where charges of the sandbox have addresses
// of a wallet, one of mode sandbox is among them.
func (c Config) MerchantWallets() ([]WalletEntry, error) {
	list, err := LoadWallets(c.WalletsFile)
	if err == nil && c.SandboxChain == SandboxWallet && len(OfMode(list, Sandbox)) == 0 {
		err = errors.New("WALLETS_FILE: SANDBOX_CHAIN=wallet needs a wallet of mode sandbox, and there is none")
	}
	return list, err
}

// OfMode are the IDs of the wallets of a mode, in the order of the list.
func OfMode(list []WalletEntry, mode Mode) []string {
	ids := []string{}
	for _, w := range list {
		if w.Mode == mode {
			ids = append(ids, w.ID)
		}
	}
	return ids
}
