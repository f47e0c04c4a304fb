package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Mode tells the money that counts from the money of tests.
type Mode string

// The two modes; an API key's prefix selects one.
const (
	Live    Mode = "live"
	Sandbox Mode = "sandbox"
)

// WalletEntry is one wallet: a pair of wallet-rpc processes on the same keys.
type WalletEntry struct {
	// ID names the wallet in every table; it never changes.
	ID   string `json:"id"`
	Mode Mode   `json:"mode"`
	// PrimaryAddress is the wallet's address of account 0, index 0.
	PrimaryAddress string `json:"primary_address"`
	// ViewKeyFile holds the private view key (64 hex), from which addresses
	// are derived again and compared with what the wallet hands out.
	ViewKeyFile string `json:"view_key_file"`
	// WatchURL is the view-only wallet-rpc; SpendURL the one that can spend.
	WatchURL string `json:"watch_url"`
	SpendURL string `json:"spend_url"`
	// LoginFile holds user:password of the view-only process's digest auth, or
	// is empty.
	LoginFile string `json:"login_file"`
	// SpendLoginFile is that of the spending process; LoginFile when it is empty.
	SpendLoginFile string `json:"spend_login_file,omitempty"`
}

// LoadWallets reads and checks the list of wallets.
func LoadWallets(path string) ([]WalletEntry, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("WALLETS_FILE: %w", err)
	}
	var list []WalletEntry
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("WALLETS_FILE: %w", err)
	}
	seen := map[string]bool{}
	for _, w := range list {
		switch {
		case w.ID == "" || seen[w.ID]:
			return nil, fmt.Errorf("WALLETS_FILE: id %q is missing or not unique", w.ID)
		case w.Mode != Live && w.Mode != Sandbox:
			return nil, fmt.Errorf("WALLETS_FILE: wallet %s: mode %q", w.ID, w.Mode)
		case w.WatchURL == "" || w.SpendURL == "" || w.PrimaryAddress == "" || w.ViewKeyFile == "":
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

// SandboxChain is what pays charges of the sandbox.
type SandboxChain string

// The two sources of payments.
const (
	SandboxSimulated SandboxChain = "simulated"
	SandboxWallet    SandboxChain = "wallet"
)

// UnmarshalText reads one of the two words.
func (s *SandboxChain) UnmarshalText(text []byte) error {
	switch word := SandboxChain(text); word {
	case SandboxSimulated, SandboxWallet:
		*s = word
		return nil
	default:
		return errors.New("it must be simulated or wallet")
	}
}

// checkSandbox refuses a sandbox that would be paid with live money, and half of the
// settings of its daemon. A daemon is allowed together with simulated charges: the
// watcher follows older wallets there, for the charges that they have.
func (c Config) checkSandbox() error {
	var errs []error
	if c.SandboxChain == SandboxWallet && c.SandboxMonerodURL == "" {
		errs = append(errs, errors.New("SANDBOX_CHAIN=wallet needs SANDBOX_MONEROD_RPC_URL, the daemon of the test network (monerod --stagenet) that wallets of mode sandbox are on: on the live chain test payments are real money"))
	}
	if c.SandboxMonerodURL == "" && (c.SandboxMonerodLoginFile != "" || c.SandboxMonerodZMQ != "") {
		errs = append(errs, errors.New("SANDBOX_MONEROD_LOGIN_FILE and SANDBOX_MONEROD_ZMQ_ADDRESS are nothing without SANDBOX_MONEROD_RPC_URL"))
	}
	if !isPublisher(c.SandboxMonerodZMQ) {
		errs = append(errs, errors.New("SANDBOX_MONEROD_ZMQ_ADDRESS must be host:port"))
	}
	return errors.Join(errs...)
}
