package monero

// WalletPair holds the two processes of one wallet, the daemon of its chain, and
// our own derivation of its addresses.
type WalletPair struct {
	Daemon  *Daemon
	Watch   *Wallet
	Spend   *Wallet
	Deriver *Deriver
}
