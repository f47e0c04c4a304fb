package monero

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/money"
)

// BuiltTx is a signed transaction that was not relayed. The wallet marks
// nothing as spent: a second build may choose the same outputs.
type BuiltTx struct {
	Hash string
	// BlobHex is what Daemon.Relay takes.
	BlobHex string
	// Key proves the payment to its receiver. It is a secret.
	Key string
	// Amount is what the destinations get, Fee comes on top of it.
	Fee, Amount money.Piconero
	Weight      uint64
	// KeyImages are those of the spent outputs, read from BlobHex.
	KeyImages []string
}

// Built is what one build made.
type Built []BuiltTx

// One is the transaction when there is exactly one, ErrTooLarge when the
// wallet had to split: more inputs than the network takes.
func (b Built) One() (BuiltTx, error) {
	if len(b) != 1 {
		return BuiltTx{}, fmt.Errorf("%w: split into %d", ErrTooLarge, len(b))
	}
	return b[0], nil
}

// Destination is where a transfer pays to, and how much.
type Destination struct {
	Address string
	Amount  money.Piconero
}

// SweepAll builds, without relaying, transactions that send everything
// spendable on these subaddresses of account 0 to destination, without
// change; the fee goes off the total. Locked, frozen and spent outputs, and
// those worth less than the fee for spending them, are left out silently, and
// the wallet makes several transactions of what does not fit into one: the
// caller compares count and sum. Building twice is harmless. ErrArgument for
// empty indices, ErrAddress, and ErrNotUnlocked when there is nothing to send.
func (w *Wallet) SweepAll(ctx context.Context, destination string, indices []uint32) (Built, error) {
	if len(indices) == 0 {
		return nil, fmt.Errorf("%w: no subaddress to sweep", ErrArgument)
	}
	if err := checkAddress(destination); err != nil {
		return nil, err
	}
	params := buildParams(indices)
	params["address"] = destination
	params["get_tx_keys"] = true
	var out sweepResult
	if err := w.client.rpc(ctx, call{method: "sweep_all", params: params, safe: true, long: true}, &out); err != nil {
		return nil, err
	}
	return out.built()
}

// Transfer builds, without relaying, one transaction that pays the
// destinations from these subaddresses of account 0; change goes to the
// primary address and the fee comes on top. Building twice is harmless.
// ErrArgument without destinations or indices, ErrAddress, ErrNotEnoughMoney,
// ErrNotUnlocked, and ErrTooLarge for more inputs than the network takes.
func (w *Wallet) Transfer(ctx context.Context, to []Destination, indices []uint32) (BuiltTx, error) {
	if len(to) == 0 || len(indices) == 0 {
		return BuiltTx{}, fmt.Errorf("%w: no destination or no subaddress to spend", ErrArgument)
	}
	destinations := make([]map[string]any, len(to))
	for i, d := range to {
		if err := checkAddress(d.Address); err != nil {
			return BuiltTx{}, err
		}
		destinations[i] = map[string]any{"address": d.Address, "amount": uint64(d.Amount)}
	}
	params := buildParams(indices)
	params["destinations"] = destinations
	params["get_tx_key"] = true
	var out struct {
		Hash   string `json:"tx_hash"`
		Blob   string `json:"tx_blob"`
		Key    string `json:"tx_key"`
		Fee    uint64 `json:"fee"`
		Amount uint64 `json:"amount"`
		Weight uint64 `json:"weight"`
	}
	if err := w.client.rpc(ctx, call{method: "transfer", params: params, safe: true, long: true}, &out); err != nil {
		return BuiltTx{}, err
	}
	images, err := KeyImages(out.Blob)
	return BuiltTx{
		Hash: out.Hash, BlobHex: out.Blob, Key: out.Key,
		Fee: money.Piconero(out.Fee), Amount: money.Piconero(out.Amount),
		Weight: out.Weight, KeyImages: images,
	}, err
}

// checkAddress keeps from the wallet what is not an address: it would look
// the text up in the DNS.
func checkAddress(address string) error {
	_, err := ParseAddress(address)
	return err
}

func buildParams(indices []uint32) map[string]any {
	return map[string]any{
		"account_index":   0,
		"subaddr_indices": indices,
		"do_not_relay":    true,
		"get_tx_hex":      true,
	}
}

type sweepResult struct {
	Hashes  []string `json:"tx_hash_list"`
	Blobs   []string `json:"tx_blob_list"`
	Keys    []string `json:"tx_key_list"`
	Fees    []uint64 `json:"fee_list"`
	Amounts []uint64 `json:"amount_list"`
	Weights []uint64 `json:"weight_list"`
}

func (r sweepResult) built() (Built, error) {
	n := len(r.Hashes)
	for _, length := range []int{
		len(r.Blobs), len(r.Keys), len(r.Fees), len(r.Amounts), len(r.Weights),
	} {
		if length != n || n == 0 {
			return nil, fmt.Errorf("%w: sweep_all: lists of unequal length", ErrResponse)
		}
	}
	built := make(Built, n)
	for i := range built {
		images, err := KeyImages(r.Blobs[i])
		if err != nil {
			return nil, err
		}
		built[i] = BuiltTx{
			Hash: r.Hashes[i], BlobHex: r.Blobs[i], Key: r.Keys[i],
			Fee: money.Piconero(r.Fees[i]), Amount: money.Piconero(r.Amounts[i]),
			Weight: r.Weights[i], KeyImages: images,
		}
	}
	return built, nil
}

// Freeze keeps the output with this key image out of every build until Thaw.
// ErrNotFound when the wallet has no such output.
func (w *Wallet) Freeze(ctx context.Context, keyImage string) error {
	return w.setFrozen(ctx, "freeze", keyImage)
}

// Thaw undoes Freeze.
func (w *Wallet) Thaw(ctx context.Context, keyImage string) error {
	return w.setFrozen(ctx, "thaw", keyImage)
}

func (w *Wallet) setFrozen(ctx context.Context, method, keyImage string) error {
	params := map[string]any{"key_image": keyImage}
	return w.client.rpc(ctx, call{method: method, params: params, safe: true}, nil)
}
