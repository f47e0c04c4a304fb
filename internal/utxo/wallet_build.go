package utxo

import "context"

// Payee is the receiver of a payment and the amount.
type Payee struct {
	Address string
	Amount  Amount
}

// Spend is the input of Create.
type Spend struct {
	// Coins are the coins to spend: all of them and no other.
	Coins []Coin
	// Payees are paid in this order. No address may occur twice.
	Payees []Payee
	// FeeRate is the fee for 1000 virtual bytes.
	FeeRate Amount
	// SubtractFee subtracts the fee from the amounts in equal parts. The first
	// payee bears the remainder of the division.
	SubtractFee bool
}

// Create makes and signs a transaction without relaying it. Change goes to a
// new address of the wallet. Create returns the transaction (hex) and its fee.
// It does not lock the coins. A wallet with a passphrase is unlocked only while
// it signs.
//
// Create returns ErrAddress, ErrNotEnoughMoney, ErrTooSmall, ErrTooLarge or
// ErrPassphrase.
func (c *Client) Create(ctx context.Context, s Spend) (rawHex string, fee Amount, err error) {
	var draft string
	outputs, bear := []map[string]Amount{}, []int{}
	for i, p := range s.Payees {
		outputs, bear = append(outputs, map[string]Amount{p.Address: p.Amount}), append(bear, i)
	}
	if err := c.daemon(ctx, read("createrawtransaction", s.Coins, outputs), &draft); err != nil {
		return "", 0, err
	}
	options := map[string]any{
		"add_inputs": false, "feeRate": s.FeeRate, "replaceable": false, "change_type": "bech32", "changePosition": len(outputs),
	}
	if s.SubtractFee {
		options["subtractFeeFromOutputs"] = bear
	}
	var funded struct {
		Hex string `json:"hex"`
		Fee Amount `json:"fee"`
	}
	// The call is safe: a retry only uses up one more address for change.
	if err := c.wallet(ctx, call{method: "fundrawtransaction", params: []any{draft, options}, safe: true}, &funded); err != nil {
		return "", 0, err
	}
	rawHex, err = c.sign(ctx, funded.Hex)
	return rawHex, funded.Fee, err
}

// sign signs all inputs of a transaction with the wallet's keys.
func (c *Client) sign(ctx context.Context, rawHex string) (string, error) {
	var signed struct {
		Hex      string `json:"hex"`
		Complete bool   `json:"complete"`
	}
	err := c.unlocked(ctx, func() error {
		return c.wallet(ctx, read("signrawtransactionwithwallet", rawHex), &signed)
	})
	if err != nil {
		return "", err
	}
	if !signed.Complete {
		return "", malformed("signrawtransactionwithwallet", "not all inputs could be signed")
	}
	return signed.Hex, nil
}
