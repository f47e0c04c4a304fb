package utxo

import (
	"context"
	"errors"
	"fmt"
)

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
	if err := c.wallet(ctx, call{Method: "fundrawtransaction", Params: []any{draft, options}, Safe: true}, &funded); err != nil {
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

// ErrPassphrase means that the passphrase does not open the wallet, or that a
// passphrase is configured but the wallet has none.
var ErrPassphrase = errors.New("utxo: wallet passphrase refused")

// The daemon's codes about encrypted wallets.
const (
	codeKeypoolEmpty    = -12
	codeLocked          = -13
	codeWrongPassphrase = -14
	codeNotEncrypted    = -15
)

// unlockSeconds is the time after which the daemon locks the wallet by itself.
// It is enough to sign a large transaction. If our process dies, the wallet
// stays unlocked no longer than that.
const unlockSeconds = 30

// signTries is the number of times that signing starts if the wallet was locked
// in between: by another process, or because it took too long.
const signTries = 3

// unlocked runs work that needs the wallet's keys, and locks the wallet again.
// Without a passphrase it assumes that the wallet is not encrypted. It can run
// work more than once. It returns ErrPassphrase if the passphrase is refused.
func (c *Client) unlocked(ctx context.Context, work func() error) error {
	if c.passphrase == "" {
		return work()
	}
	c.opening.Lock() // so that another call does not lock the wallet in between
	defer c.opening.Unlock()
	var err error
	for range signTries {
		if err = c.unlock(ctx); err != nil {
			return err
		}
		if err = work(); codeOf(err) != codeLocked {
			break
		}
	}
	// WithoutCancel locks the wallet even if the caller has gone away. If locking
	// fails, the daemon locks it by itself after unlockSeconds.
	_ = c.wallet(context.WithoutCancel(ctx), read("walletlock"), nil)
	return err
}

// unlock unlocks the wallet for unlockSeconds. The daemon then also makes keys
// ahead of their use.
func (c *Client) unlock(ctx context.Context) error {
	err := c.wallet(ctx, read("walletpassphrase", c.passphrase, unlockSeconds), nil)
	switch codeOf(err) {
	case codeWrongPassphrase:
		return fmt.Errorf("%w: it is the wrong one", ErrPassphrase)
	case codeNotEncrypted:
		return fmt.Errorf("%w: the wallet is not encrypted", ErrPassphrase)
	}
	return err
}
