package monero

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/durapay/durapay/internal/money"
)

// Wallet is a client of one monero-wallet-rpc process with a wallet open. It is
// safe for concurrent use. Calls go one at a time, because the process is serial.
//
// Every method can return ErrUnavailable, ErrLogin and ErrResponse.
type Wallet struct {
	client *client
	// seen is the hash of the block up to which the wallet last caught up.
	seen atomic.Pointer[string]
}

// NewWallet makes a client. It does not call the wallet yet.
func NewWallet(at Endpoint, o Options) *Wallet {
	return &Wallet{client: newClient(at, o, walletMeaning, true)}
}

// Close drops idle connections. The Wallet can still be used.
func (w *Wallet) Close() { w.client.process.Close() }

// Height returns the number of blocks that the wallet has scanned. The wallet
// answers from memory, so compare it with the daemon's height to see whether the
// wallet lags.
func (w *Wallet) Height(ctx context.Context) (uint64, error) {
	var out struct {
		Height uint64 `json:"height"`
	}
	err := w.client.rpc(ctx, call{Method: "get_height", Safe: true}, &out)
	return out.Height, err
}

// Total returns what the wallet holds in the blocks that it has scanned, in piconero, with
// locked and frozen outputs. The wallet answers from memory, as for Height.
func (w *Wallet) Total(ctx context.Context) (total money.Piconero, err error) {
	unspent, err := w.Unspent(ctx)
	for _, o := range unspent {
		total += o.Amount
	}
	return total, err
}

// Refresh scans the blocks that the wallet has not seen and returns their number.
// It returns ErrUnavailable if the daemon does not answer.
func (w *Wallet) Refresh(ctx context.Context) (uint64, error) {
	var out struct {
		BlocksFetched uint64 `json:"blocks_fetched"`
	}
	err := w.client.rpc(ctx, call{Method: "refresh", Safe: true, Long: true}, &out)
	return out.BlocksFetched, err
}

// StopAutoRefresh stops the wallet from reading new blocks by itself, until the process is
// restarted. No option of the process does that.
func (w *Wallet) StopAutoRefresh(ctx context.Context) error {
	return w.client.rpc(ctx, call{Method: "auto_refresh", Params: map[string]any{"enable": false}, Safe: true}, nil)
}

// Rescan reads the chain again, from the block at which the wallet was made. The
// wallet keeps its addresses and its knowledge of its own payments. The call has no
// time limit. The process answers no other call during it, and continues when the
// caller gives up.
func (w *Wallet) Rescan(ctx context.Context) error {
	params := map[string]any{"hard": false}
	return w.client.rpc(ctx, call{Method: "rescan_blockchain", Params: params, Endless: true}, nil)
}

// CatchUp makes the wallet scan every block that the daemon has. It returns
// ErrUnavailable if the wallet does not reach the top. That happens after a deep
// reorganization: Refresh then reports success, but the wallet stays where it was,
// and the outputs that it shows cannot be trusted.
func (w *Wallet) CatchUp(ctx context.Context, d *Daemon) error {
	info, err := d.Info(ctx)
	if err != nil {
		return err
	}
	_, err = w.CatchUpTo(ctx, info)
	return err
}

// CatchUpTo is CatchUp with the daemon's Info at hand. It returns the number of
// blocks that the wallet has scanned.
func (w *Wallet) CatchUpTo(ctx context.Context, info Info) (uint64, error) {
	height, err := w.ReadUpTo(ctx, info)
	if err == nil && height < info.Height {
		err = fmt.Errorf("%w: the wallet has seen %d of %d blocks", ErrUnavailable, height, info.Height)
	}
	return height, err
}

// ReadUpTo makes the wallet scan the daemon's chain up to the height in info, and
// returns the number of blocks that the wallet has scanned. That is less than
// info.Height if the wallet did not get there. If the wallet has caught up to the
// same newest block before, ReadUpTo does not refresh it, which would take a tenth
// of a second.
func (w *Wallet) ReadUpTo(ctx context.Context, info Info) (uint64, error) {
	height, err := w.Height(ctx)
	if err != nil || (height >= info.Height && w.hasSeen(info.TopHash)) {
		return height, err
	}
	if _, err := w.Refresh(ctx); err != nil {
		return 0, err
	}
	height, err = w.Height(ctx)
	if err == nil && height >= info.Height {
		w.seen.Store(&info.TopHash)
	}
	return height, err
}

func (w *Wallet) hasSeen(hash string) bool {
	last := w.seen.Load()
	return last != nil && *last == hash
}

// Store writes the wallet to its file. If the process is killed earlier, everything
// created since the last Store is lost.
func (w *Wallet) Store(ctx context.Context) error {
	return w.client.rpc(ctx, call{Method: "store", Long: true, Safe: true}, nil)
}

// OpenWallet holds the process of one wallet, the daemon of its chain, and our own
// derivation of its addresses.
type OpenWallet struct {
	Daemon  *Daemon
	Spend   *Wallet
	Deriver *Deriver
}

// Attribute returns the text that SetAttribute put into the wallet under a key,
// or an empty text if there is none. It also returns a text that was set but
// not stored.
func (w *Wallet) Attribute(ctx context.Context, key string) (string, error) {
	var out struct {
		Value string `json:"value"`
	}
	err := w.client.rpc(ctx, call{Method: "get_attribute", Params: map[string]any{"key": key}, Safe: true}, &out)
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
	return w.client.rpc(ctx, call{Method: "set_attribute", Params: params, Safe: true}, nil)
}

// SetTxNote attaches a note to a transaction, whether or not the wallet knows
// the transaction yet. It replaces an earlier note. The note is only in memory
// until Store.
func (w *Wallet) SetTxNote(ctx context.Context, txHash, note string) error {
	params := map[string]any{"txids": []string{txHash}, "notes": []string{note}}
	return w.client.rpc(ctx, call{Method: "set_tx_notes", Params: params, Safe: true}, nil)
}

// TxNotes returns the notes of transactions in their order; empty for a
// transaction without a note.
func (w *Wallet) TxNotes(ctx context.Context, txHashes []string) ([]string, error) {
	var out struct {
		Notes []string `json:"notes"`
	}
	params := map[string]any{"txids": txHashes}
	if err := w.client.rpc(ctx, call{Method: "get_tx_notes", Params: params, Safe: true}, &out); err != nil {
		return nil, err
	}
	if len(out.Notes) != len(txHashes) {
		return nil, fmt.Errorf("%w: get_tx_notes: %d of %d", ErrResponse, len(out.Notes), len(txHashes))
	}
	return out.Notes, nil
}
