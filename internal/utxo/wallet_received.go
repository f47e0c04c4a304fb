package utxo

import (
	"context"
	"time"
)

// Received is one output that a transaction pays to the wallet.
type Received struct {
	TxHash string `json:"txid"`
	// Output is its index in the transaction; 0 if Hidden.
	Output  uint32 `json:"vout"`
	Address string `json:"address"`
	Amount  Amount `json:"amount"`
	// Height is the height of the block; 0 while it is in no block.
	Height uint64 `json:"blockheight"`
	// Confirmations is negative if a conflicting transaction, which spends the same
	// coins, is that deep in the chain.
	Confirmations int64 `json:"confirmations"`
	// Reward reports whether it is a block reward.
	Reward bool `json:"-"`
	// Hidden reports whether it came out of Litecoin's extension blocks (MWEB),
	// where the chain shows no sender.
	Hidden bool `json:"-"`
	// Conflicts reports whether the wallet saw other transactions that spend the
	// same coins.
	Conflicts bool `json:"-"`
	// Seen is the time at which the daemon first saw it, or the block's time if
	// that is earlier.
	Seen time.Time `json:"-"`
}

// receivedEntry is a Received with the fields that the daemon writes in another form.
type receivedEntry struct {
	Received

	Category    string   `json:"category"`
	MWEB        string   `json:"mweb_out"`
	BlockTime   int64    `json:"blocktime"`
	SeenTime    int64    `json:"timereceived"`
	Conflicting []string `json:"walletconflicts"`
}

// received returns the outputs that the wallet received and did not send. It leaves out
// orphans, which are rewards of blocks that left the main chain.
func received(entries []receivedEntry) (list []Received) {
	for _, e := range entries {
		r := e.Received
		switch e.Category {
		case "generate", "immature":
			r.Reward = true
		case "receive":
		default:
			continue
		}
		if r.Address == "" {
			continue
		}
		seen := e.SeenTime
		if e.BlockTime != 0 {
			seen = min(seen, e.BlockTime)
		}
		r.Hidden, r.Conflicts, r.Seen = e.MWEB != "", len(e.Conflicting) > 0, time.Unix(seen, 0).UTC()
		list = append(list, r)
	}
	return list
}

// ReceivedSince lists the outputs that the wallet received in blocks above the
// one with this hash, and all that are in no block. The latter include
// transactions that have been dropped from the pool. An empty hash stands for
// the beginning of the chain. If the block has left the main chain, the highest
// block below it that is in the main chain counts instead.
func (c *Client) ReceivedSince(ctx context.Context, blockHash string) ([]Received, error) {
	entries, err := sinceBlock[receivedEntry](ctx, c, blockHash)
	return received(entries), err
}

// sinceBlock lists the transactions of the wallet since a block.
func sinceBlock[T any](ctx context.Context, c *Client, blockHash string) ([]T, error) {
	var out struct {
		Transactions []T    `json:"transactions"`
		LastBlock    string `json:"lastblock"`
	}
	const method = "listsinceblock"
	if err := c.wallet(ctx, read(method, blockHash, 1, false, false), &out); err != nil {
		return nil, err
	}
	if out.LastBlock == "" {
		return nil, malformed(method, "no last block")
	}
	return out.Transactions, nil
}

// ReceivedBy lists the outputs with which one transaction pays the wallet. It
// returns ErrNotFound if the wallet does not know the transaction.
func (c *Client) ReceivedBy(ctx context.Context, txHash string) ([]Received, error) {
	var out struct {
		receivedEntry

		Details []receivedEntry `json:"details"`
	}
	if err := c.wallet(ctx, read("gettransaction", txHash), &out); err != nil {
		return nil, err
	}
	for i := range out.Details {
		d := &out.Details[i]
		d.TxHash, d.Height, d.Confirmations = out.TxHash, out.Height, out.Confirmations
		d.BlockTime, d.SeenTime, d.Conflicting = out.BlockTime, out.SeenTime, out.Conflicting
	}
	return received(out.Details), nil
}
