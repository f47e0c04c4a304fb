package monero

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/money"
)

// BuiltTx is a signed transaction that was not relayed. The wallet marks
// nothing as spent, so a second build may choose the same outputs.
type BuiltTx struct {
	Hash string `json:"tx_hash"`
	// BlobHex is the argument of Daemon.Relay.
	BlobHex string `json:"tx_blob"`
	// Key is the transaction's secret key, with which the payer can prove the
	// payment.
	Key string `json:"tx_key"`
	// Amount is what the destinations get, without the fee. Fee is in addition to
	// it.
	Amount money.Piconero `json:"-"`
	Fee    money.Piconero `json:"-"`
	Weight uint64         `json:"weight"`
	// KeyImages are the key images of the spent outputs, read from BlobHex.
	KeyImages []string `json:"-"`
}

// Built are the transactions of one build.
type Built []BuiltTx

// One returns the only transaction. It returns ErrTooLarge if the wallet had to
// split the payment because it needs more inputs than the network accepts in
// one transaction.
func (b Built) One() (BuiltTx, error) {
	if len(b) != 1 {
		return BuiltTx{}, fmt.Errorf("%w: split into %d", ErrTooLarge, len(b))
	}
	return b[0], nil
}

// Destination is the receiver of a transfer and the amount.
type Destination struct {
	Address string
	Amount  money.Piconero
}

// SweepAll builds, without relaying, transactions that send everything
// spendable on these subaddresses of account 0 to destination. There is no
// change, and the fee is subtracted from the total. The wallet silently leaves
// out outputs that are locked, frozen or spent, or that are worth less than the
// fee for spending them. If the outputs do not fit into one transaction, it
// makes several. So the caller must compare count and sum. Building twice is
// harmless.
//
// SweepAll returns ErrArgument for empty indices, ErrAddress for a wrong
// destination, and ErrNotUnlocked if there is nothing to send.
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
	if err := w.client.rpc(ctx, call{Method: "sweep_all", Params: params, Safe: true, Long: true}, &out); err != nil {
		return nil, err
	}
	return out.built()
}

// Transfer builds, without relaying, one transaction that pays the destinations
// from these subaddresses of account 0. The change goes to the primary address,
// and the fee is in addition to the amounts. Building twice is harmless.
//
// Transfer returns ErrArgument without destinations or indices, ErrAddress,
// ErrNotEnoughMoney, ErrNotUnlocked, and ErrTooLarge for more inputs than the
// network accepts.
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
		BuiltTx

		Units    uint64 `json:"amount"`
		FeeUnits uint64 `json:"fee"`
	}
	if err := w.client.rpc(ctx, call{Method: "transfer", Params: params, Safe: true, Long: true}, &out); err != nil {
		return BuiltTx{}, err
	}
	var err error
	out.Amount, out.Fee = money.Piconero(out.Units), money.Piconero(out.FeeUnits)
	out.KeyImages, err = KeyImages(out.BlobHex)
	return out.BuiltTx, err
}

// checkAddress refuses a text that is not an address before the wallet sees it,
// because the wallet would look it up in the DNS.
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

// Freeze keeps the output with this key image out of every build until Thaw. It
// returns ErrNotFound if the wallet has no such output.
func (w *Wallet) Freeze(ctx context.Context, keyImage string) error {
	return w.setFrozen(ctx, "freeze", keyImage)
}

// Thaw undoes Freeze.
func (w *Wallet) Thaw(ctx context.Context, keyImage string) error {
	return w.setFrozen(ctx, "thaw", keyImage)
}

func (w *Wallet) setFrozen(ctx context.Context, method, keyImage string) error {
	params := map[string]any{"key_image": keyImage}
	return w.client.rpc(ctx, call{Method: method, Params: params, Safe: true}, nil)
}
