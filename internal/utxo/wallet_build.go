package utxo

import "context"

// Payee is who is paid and how much.
type Payee struct {
	Address string
	Amount  Amount
}

// Spend is what Create makes a transaction of.
type Spend struct {
	// Coins are spent, all of them and no other.
	Coins []Coin
	// Payees are paid in this order, no address twice.
	Payees []Payee
	// FeeRate is the fee for 1000 virtual bytes.
	FeeRate Amount
	// SubtractFee takes the fee off the amounts, in equal parts; the first bears
	// what cannot be divided.
	SubtractFee bool
}

// Create makes and signs, without relaying, a transaction; change goes to a new
// address of the wallet. It returns the transaction (hex) and its fee. The
// coins are not locked. A wallet with a passphrase is open meanwhile, and no
// longer. ErrAddress, ErrNotEnoughMoney, ErrTooSmall, ErrTooLarge,
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
	// A retry would only use up one more address for change.
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
