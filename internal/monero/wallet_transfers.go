package monero

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// hashDigits is the length of a transaction's hash in hex.
const hashDigits = 64

// Transfer is the payment of one transaction to one subaddress of account 0.
type Transfer struct {
	TxHash          string
	SubaddressIndex uint32
	// Amounts has one entry for each output. Amount is their sum.
	Amounts []money.Piconero
	Amount  money.Piconero
	// Height is the height of the block; 0 while in the pool.
	Height uint64
	// Timestamp is the time of the block, or the time at which the wallet first saw
	// the transaction.
	Timestamp time.Time
	// UnlockTime is the lock that the payer chose: 0 for none, a height, or seconds
	// of Unix time from 500,000,000 on.
	UnlockTime uint64
	// Locked reports whether the outputs cannot be spent yet.
	Locked bool
	// DoubleSpendSeen reports whether a conflicting transaction was seen.
	DoubleSpendSeen bool
}

type transferEntry struct {
	TxID       string   `json:"txid"`
	Amount     uint64   `json:"amount"`
	Amounts    []uint64 `json:"amounts"`
	Height     uint64   `json:"height"`
	Timestamp  int64    `json:"timestamp"`
	UnlockTime uint64   `json:"unlock_time"`
	Locked     bool     `json:"locked"`
	DoubleSeen bool     `json:"double_spend_seen"`
	Subaddress struct {
		Minor uint32 `json:"minor"`
	} `json:"subaddr_index"`
}

// Range selects the payments to list.
type Range struct {
	// From and To are heights of blocks, both included. If From is above To, no
	// block is listed. NoEnd as To lists all blocks from From on.
	From, To uint64
	// Pool also lists payments in the pool.
	Pool bool
}

// NoEnd is a height that no chain reaches. The RPC's own limit is
// CRYPTONOTE_MAX_BLOCK_NUMBER.
const NoEnd = 500_000_000

// Transfers lists the payments that account 0 received. It does not list
// payments of the wallet to itself. Blocks come from the wallet's last scan:
// without Pool, the wallet answers while the daemon is down, but the answer is
// stale. With Pool, the wallet asks the daemon, and Transfers returns
// ErrUnavailable if the daemon is down.
func (w *Wallet) Transfers(ctx context.Context, r Range) ([]Transfer, error) {
	var out struct {
		In   []transferEntry `json:"in"`
		Pool []transferEntry `json:"pool"`
	}
	params := map[string]any{"in": r.From <= r.To, "pool": r.Pool, "account_index": 0}
	if r.From <= r.To {
		// The RPC excludes min_height itself but includes max_height.
		params["filter_by_height"], params["min_height"], params["max_height"] = true, max(r.From, 1)-1, r.To
	}
	if err := w.client.rpc(ctx, call{method: "get_transfers", params: params, safe: true}, &out); err != nil {
		return nil, err
	}
	transfers := make([]Transfer, 0, len(out.In)+len(out.Pool))
	for _, e := range append(out.In, out.Pool...) {
		t := e.transfer()
		if !t.whole() {
			return nil, fmt.Errorf("%w: get_transfers: an incomplete entry", ErrResponse)
		}
		transfers = append(transfers, t)
	}
	return transfers, nil
}

// TransfersOf lists the payments of one transaction to account 0, in a block or
// in the pool. It returns ErrNotFound if the wallet does not know the
// transaction.
func (w *Wallet) TransfersOf(ctx context.Context, txHash string) ([]Transfer, error) {
	var out struct {
		Transfers []struct {
			transferEntry

			Type string `json:"type"`
		} `json:"transfers"`
	}
	params := map[string]any{"txid": txHash, "account_index": 0}
	if err := w.client.rpc(ctx, call{method: "get_transfer_by_txid", params: params, safe: true}, &out); err != nil {
		return nil, err
	}
	var transfers []Transfer
	for _, e := range out.Transfers {
		if e.Type != "in" && e.Type != "pool" && e.Type != "block" {
			continue
		}
		t := e.transfer()
		if !t.whole() {
			return nil, fmt.Errorf("%w: get_transfer_by_txid: an incomplete entry", ErrResponse)
		}
		transfers = append(transfers, t)
	}
	return transfers, nil
}

// whole reports whether the entry names its transaction and its amounts agree,
// because a payment must not be counted from an incomplete answer.
func (t Transfer) whole() bool {
	sum, err := money.Sum(t.Amounts...)
	return len(t.TxHash) == hashDigits && err == nil && (len(t.Amounts) == 0 || sum == t.Amount)
}

func (e transferEntry) transfer() Transfer {
	return Transfer{
		TxHash:          e.TxID,
		SubaddressIndex: e.Subaddress.Minor,
		Amounts:         piconeros(e.Amounts),
		Amount:          money.Piconero(e.Amount),
		Height:          e.Height,
		Timestamp:       time.Unix(e.Timestamp, 0).UTC(),
		UnlockTime:      e.UnlockTime,
		Locked:          e.Locked,
		DoubleSpendSeen: e.DoubleSeen,
	}
}

// piconeros converts the RPC's integers, which are atomic units.
func piconeros(units []uint64) []money.Piconero {
	amounts := make([]money.Piconero, len(units))
	for i, u := range units {
		amounts[i] = money.Piconero(u)
	}
	return amounts
}

// Output is one output that account 0 received in a block.
type Output struct {
	TxHash string
	// KeyImage is empty for a view-only wallet, which cannot compute it.
	KeyImage        string
	SubaddressIndex uint32
	Amount          money.Piconero
	Height          uint64
	// GlobalIndex is the number of the output among those of the whole chain.
	GlobalIndex uint64
	// Spent is only known to a wallet with the spend key.
	Spent, Unlocked, Frozen bool
}

// IncomingTransfers lists the outputs of these subaddresses of account 0, or of
// all subaddresses if indices is empty. It includes spent, locked and frozen
// outputs. It lists only what the wallet has scanned.
func (w *Wallet) IncomingTransfers(ctx context.Context, indices []uint32) ([]Output, error) {
	return w.outputs(ctx, "all", indices)
}

// Unspent lists the outputs of these subaddresses of account 0, or of all
// subaddresses without indices, that no block spends. It includes locked and
// frozen outputs. It lists only what the wallet has scanned.
func (w *Wallet) Unspent(ctx context.Context, indices ...uint32) ([]Output, error) {
	return w.outputs(ctx, "available", indices)
}

func (w *Wallet) outputs(ctx context.Context, kind string, indices []uint32) ([]Output, error) {
	params := map[string]any{"transfer_type": kind, "account_index": 0}
	if len(indices) > 0 {
		params["subaddr_indices"] = indices
	}
	var out struct {
		Transfers []outputEntry `json:"transfers"`
	}
	k := call{method: "incoming_transfers", params: params, safe: true}
	if err := w.client.rpc(ctx, k, &out); err != nil {
		return nil, err
	}
	outputs := make([]Output, 0, len(out.Transfers))
	for _, e := range out.Transfers {
		outputs = append(outputs, e.output())
	}
	return outputs, nil
}

type outputEntry struct {
	TxHash      string `json:"tx_hash"`
	KeyImage    string `json:"key_image"`
	Amount      uint64 `json:"amount"`
	BlockHeight uint64 `json:"block_height"`
	GlobalIndex uint64 `json:"global_index"`
	Spent       bool   `json:"spent"`
	Unlocked    bool   `json:"unlocked"`
	Frozen      bool   `json:"frozen"`
	Subaddress  struct {
		Minor uint32 `json:"minor"`
	} `json:"subaddr_index"`
}

func (e outputEntry) output() Output {
	return Output{
		TxHash:          e.TxHash,
		KeyImage:        e.KeyImage,
		SubaddressIndex: e.Subaddress.Minor,
		Amount:          money.Piconero(e.Amount),
		Height:          e.BlockHeight,
		GlobalIndex:     e.GlobalIndex,
		Spent:           e.Spent,
		Unlocked:        e.Unlocked,
		Frozen:          e.Frozen,
	}
}

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
