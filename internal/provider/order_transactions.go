package provider

// Transactions are the hashes that a provider has reported; empty if it has not.
type Transactions struct{ Deposit, Payout, Refund string }

// After returns the hashes after an answer. A later hash replaces an earlier one,
// for example when a payout's fee was raised. A missing hash replaces none.
func (t Transactions) After(said Swap) Transactions {
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
