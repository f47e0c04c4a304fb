package utxo

import (
	"context"
	"slices"
)

// Sent is a transaction that spent coins of the wallet.
type Sent struct {
	TxHash string
	// Paid are the outputs to foreign addresses or to receiving addresses of the
	// wallet itself, without change.
	Paid []Paid
	Fee  Amount
	// Height is the height of the block; 0 while it is in no block.
	Height uint64
}

// Paid is one output of a transaction that was sent.
type Paid struct {
	Address string
	Amount  Amount
	// Label is the label that SetLabel gave to the address; empty if there is none.
	Label string
}

type sentEntry struct {
	Category      string `json:"category"`
	Address       string `json:"address"`
	Amount        Amount `json:"amount"`
	Fee           Amount `json:"fee"`
	Label         string `json:"label"`
	TxHash        string `json:"txid"`
	Height        uint64 `json:"blockheight"`
	Confirmations int64  `json:"confirmations"`
	Abandoned     bool   `json:"abandoned"`
}

// SentSince lists the transactions that the wallet sent in blocks above the one
// with this hash, and those that are in no block. It leaves out transactions that
// were abandoned or that lost against a transaction in a block. An empty hash
// stands for the beginning of the chain.
func (c *Client) SentSince(ctx context.Context, blockHash string) ([]Sent, error) {
	entries, err := sinceBlock[sentEntry](ctx, c, blockHash)
	if err != nil {
		return nil, err
	}
	var list []Sent
	for _, e := range entries {
		if e.Category != "send" || e.Abandoned || e.Confirmations < 0 {
			continue
		}
		i := slices.IndexFunc(list, func(s Sent) bool { return s.TxHash == e.TxHash })
		if i < 0 {
			list = append(list, Sent{TxHash: e.TxHash, Fee: -e.Fee, Height: e.Height})
			i = len(list) - 1
		}
		list[i].Paid = append(list[i].Paid, Paid{Address: e.Address, Amount: -e.Amount, Label: e.Label})
	}
	return list, nil
}

// SentLabels returns the labels of the addresses that a transaction of the wallet
// paid. It returns ErrNotFound if the wallet does not know the transaction.
func (c *Client) SentLabels(ctx context.Context, txHash string) ([]string, error) {
	var out struct {
		Details []sentEntry `json:"details"`
	}
	if err := c.wallet(ctx, read("gettransaction", txHash), &out); err != nil {
		return nil, err
	}
	var labels []string
	for _, d := range out.Details {
		if d.Category == "send" && d.Label != "" {
			labels = append(labels, d.Label)
		}
	}
	return labels, nil
}
