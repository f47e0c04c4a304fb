package refund

// Proof proves that a claim was paid. It is stored sealed with the claim. The process
// that can open the claim's address makes it, because the process that shows it later
// cannot open the address.
type Proof struct {
	// TxKey is the secret key of the transaction.
	TxKey string `json:"tx_key"`
	// TxProof proves the payment to the claim's address only (OutProofV2). It is empty where
	// it could not be made.
	TxProof string `json:"tx_proof"`
}
