package monero

// WalletPair is one wallet's two processes and our own derivation of its
// addresses.
type WalletPair struct {
	Watch   *Wallet
	Spend   *Wallet
	Deriver *Deriver
}
