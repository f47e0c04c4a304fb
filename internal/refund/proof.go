package refund

// Proof is what proves that a claim was paid, as it is sealed with the claim. It is made
// where the claim's address can be opened: whoever shows it later cannot.
type Proof struct {
	// TxKey is the secret key of the transaction.
	TxKey string `json:"tx_key"`
	// TxProof proves the payment to the claim's address alone (OutProofV2); empty where
	// it could not be made.
	TxProof string `json:"tx_proof"`
}
