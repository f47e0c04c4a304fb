package utxo

import (
	"context"
	"time"
)

// Received is one output that a transaction pays to the wallet.
type Received struct {
	TxHash string
	// Output is its index in the transaction; 0 if Hidden.
	Output  uint32
	Address string
	Amount  Amount
	// Height is the height of the block; 0 while it is in no block.
	Height uint64
	// Confirmations is negative if a conflicting transaction, which spends the same
	// coins, is that deep in the chain.
	Confirmations int64
	// Reward reports whether it is a block reward.
	Reward bool
	// Hidden reports whether it came out of Litecoin's extension blocks (MWEB),
	// where the chain shows no sender.
	Hidden bool
	// Conflicts reports whether the wallet saw other transactions that spend the
	// same coins.
	Conflicts bool
	// Seen is the time at which the daemon first saw it, or the block's time if
	// that is earlier.
	Seen time.Time
}

type receivedEntry struct {
	receivedDetail

	TxHash        string   `json:"txid"`
	Height        uint64   `json:"blockheight"`
	Confirmations int64    `json:"confirmations"`
	BlockTime     int64    `json:"blocktime"`
	SeenTime      int64    `json:"timereceived"`
	Conflicts     []string `json:"walletconflicts"`
}

// receivedDetail is one output of a transaction.
type receivedDetail struct {
	Address  string `json:"address"`
	Category string `json:"category"`
	Output   uint32 `json:"vout"`
	Amount   Amount `json:"amount"`
	MWEB     string `json:"mweb_out"`
}

// isReceived reports whether the wallet received the output and did not send
// it. It excludes orphans, which are rewards of blocks that left the main
// chain.
func (d receivedDetail) isReceived() bool {
	switch d.Category {
	case "receive", "generate", "immature":
		return d.Address != ""
	}
	return false
}

func (e receivedEntry) received() Received {
	seen := e.SeenTime
	if e.BlockTime != 0 {
		seen = min(seen, e.BlockTime)
	}
	return Received{
		TxHash: e.TxHash, Output: e.Output, Address: e.Address, Amount: e.Amount, Height: e.Height, Confirmations: e.Confirmations,
		Reward: e.Category == "immature" || e.Category == "generate", Hidden: e.MWEB != "", Conflicts: len(e.Conflicts) > 0,
		Seen: time.Unix(seen, 0).UTC(),
	}
}

// ReceivedSince lists the outputs that the wallet received in blocks above the
// one with this hash, and all that are in no block. The latter include
// transactions that have been dropped from the pool. An empty hash stands for
// the beginning of the chain. If the block has left the main chain, the highest
// block below it that is in the main chain counts instead.
func (c *Client) ReceivedSince(ctx context.Context, blockHash string) ([]Received, error) {
	var out struct {
		Transactions []receivedEntry `json:"transactions"`
		LastBlock    string          `json:"lastblock"`
	}
	const method = "listsinceblock"
	if err := c.wallet(ctx, read(method, blockHash, 1, false, false), &out); err != nil {
		return nil, err
	}
	if out.LastBlock == "" {
		return nil, malformed(method, "no last block")
	}
	var list []Received
	for _, e := range out.Transactions {
		if e.isReceived() {
			list = append(list, e.received())
		}
	}
	return list, nil
}

// ReceivedBy lists the outputs with which one transaction pays the wallet. It
// returns ErrNotFound if the wallet does not know the transaction.
func (c *Client) ReceivedBy(ctx context.Context, txHash string) ([]Received, error) {
	var out struct {
		receivedEntry

		Details []receivedDetail `json:"details"`
	}
	if err := c.wallet(ctx, read("gettransaction", txHash), &out); err != nil {
		return nil, err
	}
	var list []Received
	for _, d := range out.Details {
		if d.isReceived() {
			e := out.receivedEntry
			e.receivedDetail = d
			list = append(list, e.received())
		}
	}
	return list, nil
}
