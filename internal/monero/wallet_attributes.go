package monero

import (
	"context"
	"errors"
	"fmt"
)

// Attribute returns the text that SetAttribute put into the wallet under a key,
// or an empty text if there is none. It also returns a text that was set but
// not stored.
func (w *Wallet) Attribute(ctx context.Context, key string) (string, error) {
	var out struct {
		Value string `json:"value"`
	}
	err := w.client.rpc(ctx, call{method: "get_attribute", params: map[string]any{"key": key}, safe: true}, &out)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return out.Value, err
}

// SetAttribute puts a text into the wallet under a key. The text is only in
// memory until Store. A wallet that is restored from its seed has no
// attributes.
func (w *Wallet) SetAttribute(ctx context.Context, key, value string) error {
	params := map[string]any{"key": key, "value": value}
	return w.client.rpc(ctx, call{method: "set_attribute", params: params, safe: true}, nil)
}

// SetTxNote attaches a note to a transaction, whether or not the wallet knows
// the transaction yet. It replaces an earlier note. The note is only in memory
// until Store.
func (w *Wallet) SetTxNote(ctx context.Context, txHash, note string) error {
	params := map[string]any{"txids": []string{txHash}, "notes": []string{note}}
	return w.client.rpc(ctx, call{method: "set_tx_notes", params: params, safe: true}, nil)
}

// TxNotes returns the notes of transactions in their order; empty for a
// transaction without a note.
func (w *Wallet) TxNotes(ctx context.Context, txHashes []string) ([]string, error) {
	var out struct {
		Notes []string `json:"notes"`
	}
	params := map[string]any{"txids": txHashes}
	if err := w.client.rpc(ctx, call{method: "get_tx_notes", params: params, safe: true}, &out); err != nil {
		return nil, err
	}
	if len(out.Notes) != len(txHashes) {
		return nil, fmt.Errorf("%w: get_tx_notes: %d of %d", ErrResponse, len(out.Notes), len(txHashes))
	}
	return out.Notes, nil
}
