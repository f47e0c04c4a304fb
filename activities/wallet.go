package activities

// WalletTask names a wallet.
type WalletTask struct {
	WalletID string
}

// TradeTask names a trade.
type TradeTask struct {
	TradeID string
}
