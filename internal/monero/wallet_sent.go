package monero

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/money"
)

// Sent is a transaction that spent outputs of account 0.
type Sent struct {
	TxHash string
	// Amount is the amount that left the wallet, without the fee. A wallet that saw
	// the transaction only on the chain knows it too.
	Amount, Fee money.Piconero
	// Height is the height of the block; 0 while in the pool.
	Height uint64
	// Note is the note that SetTxNote attached; empty if there is none.
	Note string
}

// Sent lists the transactions that account 0 sent: those in blocks above
// minHeight (excluding that height), and those that wait in the pool or were
// never mined. It lists only what the wallet has scanned. Only a wallet with the
// spend key can list transactions that another copy of the wallet sent.
func (w *Wallet) Sent(ctx context.Context, minHeight uint64) ([]Sent, error) {
	type entry struct {
		TxID   string `json:"txid"`
		Amount uint64 `json:"amount"`
		Fee    uint64 `json:"fee"`
		Height uint64 `json:"height"`
		Note   string `json:"note"`
	}
	var out struct {
		Out     []entry `json:"out"`
		Pending []entry `json:"pending"`
	}
	params := map[string]any{
		"out": true, "pending": true, "account_index": 0, "filter_by_height": true, "min_height": minHeight,
	}
	if err := w.client.rpc(ctx, call{method: "get_transfers", params: params, safe: true}, &out); err != nil {
		return nil, err
	}
	list := make([]Sent, 0, len(out.Out)+len(out.Pending))
	for _, e := range append(out.Out, out.Pending...) {
		if len(e.TxID) != hashDigits {
			return nil, fmt.Errorf("%w: get_transfers: an incomplete entry", ErrResponse)
		}
		list = append(list, Sent{
			TxHash: e.TxID, Amount: money.Piconero(e.Amount), Fee: money.Piconero(e.Fee), Height: e.Height, Note: e.Note,
		})
	}
	return list, nil
}
