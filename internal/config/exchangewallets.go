package config

import "fmt"

// ExchangeWallet is the exchange's wallet of one coin: Monero or Daemon is set.
type ExchangeWallet struct {
	// Ticker and Network name the coin, such as xmr and Mainnet.
	Ticker  string `json:"ticker"`
	Network string `json:"network"`
	// Confirmations is how deep a deposit must lie to be exchanged, 1 to 60.
	Confirmations uint64 `json:"confirmations"`
	// Monero is a wallet-rpc process on MONEROD_RPC_URL's chain.
	Monero *MoneroWallet `json:"monero,omitempty"`
	// Daemon is a daemon of Bitcoin's kind with one wallet of it.
	Daemon *DaemonWallet `json:"daemon,omitempty"`
}

// DaemonWallet is one wallet of a bitcoind or litecoind.
type DaemonWallet struct {
	// URL is the daemon's JSON-RPC interface, without user and password.
	URL string `json:"url"`
	// LoginFile holds user:password.
	LoginFile string `json:"login_file"`
	// ZMQAddress is where the daemon publishes what happens (-zmqpubhashtx and
	// -zmqpubhashblock), host:port; empty where it does not.
	ZMQAddress string `json:"zmq_address,omitempty"`
	// P2PAddress is where the daemon listens for peers, of whom the worker is one with
	// the permission noban, host:port; empty where it is none. One of the two at most
	// is set.
	P2PAddress string `json:"p2p_address,omitempty"`
	// Wallet is the name of the wallet, which the daemon loads when it starts.
	Wallet string `json:"wallet"`
	// PassphraseFile holds the passphrase that the wallet's keys are encrypted
	// with, or is empty for a wallet that has none.
	PassphraseFile string `json:"passphrase_file,omitempty"`
}

// maxConfirmations is how deep deposits are followed.
const maxConfirmations = 60

// LoadExchangeWallets reads and checks the list of the exchange's wallets; no
// file, no wallets.
func LoadExchangeWallets(path string) ([]ExchangeWallet, error) {
	if path == "" {
		return nil, nil
	}
	list, err := readList[ExchangeWallet]("EXCHANGE_WALLETS_FILE", path)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, w := range list {
		name := w.Ticker + " on " + w.Network
		if w.Ticker == "" || w.Network == "" || seen[name] {
			return nil, fmt.Errorf("EXCHANGE_WALLETS_FILE: %s: missing or not unique", name)
		}
		if problem := w.problem(); problem != "" {
			return nil, fmt.Errorf("EXCHANGE_WALLETS_FILE: %s: %s", name, problem)
		}
		seen[name] = true
	}
	return list, nil
}

// problem returns a text about a wrong setting of the wallet; empty for none.
func (w ExchangeWallet) problem() string {
	switch m, d := w.Monero, w.Daemon; {
	case w.Confirmations < 1 || w.Confirmations > maxConfirmations:
		return fmt.Sprintf("confirmations must be 1 to %d", maxConfirmations)
	case (m == nil) == (d == nil):
		return "one of monero and daemon must be set"
	case m != nil && (m.PrimaryAddress == "" || m.ViewKeyFile == "" || m.SpendURL == ""):
		return "a setting of monero is missing"
	case d != nil:
		return d.problem()
	}
	return ""
}

// problem returns a text about a wrong setting of the daemon; empty for none.
func (d *DaemonWallet) problem() string {
	switch {
	case d.URL == "" || d.LoginFile == "" || d.Wallet == "":
		return "a setting of daemon is missing"
	case !isPublisher(d.ZMQAddress):
		return "zmq_address must be host:port"
	case !isPublisher(d.P2PAddress):
		return "p2p_address must be host:port"
	case d.ZMQAddress != "" && d.P2PAddress != "":
		return "zmq_address and p2p_address must not both be set"
	}
	return ""
}
