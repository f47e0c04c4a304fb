package utxowallet

import (
	"context"
	"errors"
	"slices"

	"github.com/durapay/durapay/internal/utxo"
)

// preferred returns the wallet's unspent coins that these transactions made. It
// asks for each one, so the daemon lists no other coins. It returns nothing when
// they are more than one transaction can spend.
func (w *Wallet) preferred(ctx context.Context, transactions []string) ([]utxo.Unspent, error) {
	var made []utxo.Received
	for _, txHash := range slices.Compact(slices.Sorted(slices.Values(transactions))) {
		outputs, err := w.client.ReceivedBy(ctx, txHash)
		if err != nil && !errors.Is(err, utxo.ErrNotFound) {
			return nil, translated(err)
		}
		if made = append(made, outputs...); len(made) > maxInputs {
			return nil, nil
		}
	}
	var own []utxo.Unspent
	for _, r := range made {
		coin := utxo.Coin{TxHash: r.TxHash, Output: r.Output}
		output, err := w.client.Output(ctx, coin, true)
		if err != nil {
			return nil, translated(err)
		}
		if output == nil || r.Hidden || (r.Reward && output.Confirmations < coinbaseMaturity) {
			continue
		}
		own = append(own, utxo.Unspent{Coin: coin, Address: r.Address, Amount: output.Value, Confirmations: output.Confirmations, Spendable: true})
	}
	return own, nil
}
