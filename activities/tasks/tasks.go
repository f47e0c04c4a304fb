package tasks

import (
	"time"
)

// Shift is how long one run of a long activity lasts, so that its workflow gets a fresh
// history from time to time.
const Shift = time.Hour

// Wallet names a wallet.
type Wallet struct {
	WalletID string
}

// Trade names a trade.
type Trade struct {
	TradeID string
}
