package monero

// WalletPair is one wallet's two processes, the daemon of its chain, and our own
// derivation of its addresses.
type WalletPair struct {
	Daemon  *Daemon
	Watch   *Wallet
	Spend   *Wallet
	Deriver *Deriver
}
