package providerorder

import "github.com/durapay/durapay/internal/provider"

// Transactions are the hashes that a provider has named; empty where it has not.
type Transactions struct{ Deposit, Payout, Refund string }

// After is what is known after an answer: a hash is replaced by a later one, as of
// a payout whose fee was raised, and never by none.
func (t Transactions) After(said provider.Swap) Transactions {
	for _, tx := range []struct {
		known *string
		told  string
	}{{&t.Deposit, said.DepositTx}, {&t.Payout, said.PayoutTx}, {&t.Refund, said.RefundTx}} {
		if tx.told != "" {
			*tx.known = tx.told
		}
	}
	return t
}
