package tasks

// Wallet names a wallet.
type Wallet struct {
	WalletID string
}

// Trade names a trade.
type Trade struct {
	TradeID string
}
