package activities

import (
	"time"

	"github.com/durapay/durapay/internal/monero"
)

// WalletTask names a wallet.
type WalletTask struct {
	WalletID string
}

// WalletPair is one wallet's two processes and our own derivation of its
// addresses.
type WalletPair struct {
	Watch   *monero.Wallet
	Spend   *monero.Wallet
	Deriver *monero.Deriver
}

// shift is how long one run of a long activity lasts, so that its workflow's
// history starts afresh from time to time.
const shift = time.Hour

// paymentKey identifies a payment to one of a wallet's subaddresses.
type paymentKey struct {
	tx    string
	index int32
}
