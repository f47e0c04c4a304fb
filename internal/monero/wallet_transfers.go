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
	TxHash          string `json:"txid"`
	SubaddressIndex uint32 `json:"-"`
	// Amounts has one entry for each output. Amount is what the wallet can spend of them:
	// their sum, unless an output has the one-time key of an earlier, smaller one. Only one
	// of both can ever be spent, so Amount then has the difference alone.
	Amounts []money.Piconero `json:"-"`
	Amount  money.Piconero   `json:"-"`
	// Height is the height of the block; 0 while in the pool.
	Height uint64 `json:"height"`
	// Timestamp is the time of the block, or the time at which the wallet first saw
	// the transaction.
	Timestamp time.Time `json:"-"`
	// UnlockTime is the lock that the payer chose: 0 for none, a height, or seconds
	// of Unix time from 500,000,000 on.
	UnlockTime uint64 `json:"unlock_time"`
	// Locked reports whether the outputs cannot be spent yet.
	Locked bool `json:"locked"`
	// DoubleSpendSeen reports whether a conflicting transaction was seen.
	DoubleSpendSeen bool `json:"double_spend_seen"`
}

// transferEntry is a Transfer with the fields that the RPC writes in another form.
type transferEntry struct {
	Transfer

	Units     uint64   `json:"amount"`
	UnitsEach []uint64 `json:"amounts"`
	Seconds   int64    `json:"timestamp"`
	At        position `json:"subaddr_index"`
}

// position is an account and a subaddress of it.
type position struct {
	Index uint32 `json:"minor"`
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
	if err := w.client.rpc(ctx, call{Method: "get_transfers", Params: params, Safe: true}, &out); err != nil {
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
	if err := w.client.rpc(ctx, call{Method: "get_transfer_by_txid", Params: params, Safe: true}, &out); err != nil {
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

// whole reports whether the entry names its transaction and no more is counted than its
// outputs have, because a payment must not be counted from an incomplete answer.
func (t Transfer) whole() bool {
	sum, err := money.Sum(t.Amounts...)
	return len(t.TxHash) == hashDigits && err == nil && (len(t.Amounts) == 0 || sum >= t.Amount)
}

func (e transferEntry) transfer() Transfer {
	t := e.Transfer
	t.Amount, t.Amounts = money.Piconero(e.Units), piconeros(e.UnitsEach)
	t.SubaddressIndex, t.Timestamp = e.At.Index, time.Unix(e.Seconds, 0).UTC()
	return t
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
	TxHash string `json:"tx_hash"`
	// KeyImage is empty for a view-only wallet, which cannot compute it.
	KeyImage        string         `json:"key_image"`
	SubaddressIndex uint32         `json:"-"`
	Amount          money.Piconero `json:"-"`
	// Spent is only known to a wallet with the spend key.
	Spent    bool `json:"spent"`
	Unlocked bool `json:"unlocked"`
	Frozen   bool `json:"frozen"`
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
		Transfers []struct {
			Output

			Units uint64   `json:"amount"`
			At    position `json:"subaddr_index"`
		} `json:"transfers"`
	}
	k := call{Method: "incoming_transfers", Params: params, Safe: true}
	if err := w.client.rpc(ctx, k, &out); err != nil {
		return nil, err
	}
	outputs := make([]Output, 0, len(out.Transfers))
	for _, e := range out.Transfers {
		e.Amount, e.SubaddressIndex = money.Piconero(e.Units), e.At.Index
		outputs = append(outputs, e.Output)
	}
	return outputs, nil
}

// Sent is a transaction that spent outputs of account 0.
type Sent struct {
	TxHash string `json:"txid"`
	// Amount is the amount that left the wallet, without the fee. A wallet that saw
	// the transaction only on the chain knows it too.
	Amount money.Piconero `json:"-"`
	Fee    money.Piconero `json:"-"`
	// Height is the height of the block; 0 while in the pool.
	Height uint64 `json:"height"`
}

// Sent lists the transactions that account 0 sent: those in blocks above
// minHeight (excluding that height), and those that wait in the pool or were
// never mined. It lists only what the wallet has scanned. Only a wallet with the
// spend key can list transactions that another copy of the wallet sent.
func (w *Wallet) Sent(ctx context.Context, minHeight uint64) ([]Sent, error) {
	type entry struct {
		Sent

		Units    uint64 `json:"amount"`
		FeeUnits uint64 `json:"fee"`
	}
	var out struct {
		Out     []entry `json:"out"`
		Pending []entry `json:"pending"`
	}
	params := map[string]any{
		"out": true, "pending": true, "account_index": 0, "filter_by_height": true, "min_height": minHeight,
	}
	if err := w.client.rpc(ctx, call{Method: "get_transfers", Params: params, Safe: true}, &out); err != nil {
		return nil, err
	}
	list := make([]Sent, 0, len(out.Out)+len(out.Pending))
	for _, e := range append(out.Out, out.Pending...) {
		if len(e.TxHash) != hashDigits {
			return nil, fmt.Errorf("%w: get_transfers: an incomplete entry", ErrResponse)
		}
		e.Amount, e.Fee = money.Piconero(e.Units), money.Piconero(e.FeeUnits)
		list = append(list, e.Sent)
	}
	return list, nil
}
