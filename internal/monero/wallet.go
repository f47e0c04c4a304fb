package monero

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Wallet is a client of one monero-wallet-rpc process with a wallet open. It
// is safe for concurrent use; calls go one at a time, as the process does.
//
// Every method can fail with ErrUnavailable, ErrLogin and ErrResponse.
type Wallet struct {
	client *client
	// seen is the hash of the block up to which the wallet caught up last.
	seen atomic.Pointer[string]
}

// NewWallet makes a client; nothing is called yet.
func NewWallet(at Endpoint, o Options) *Wallet {
	return &Wallet{client: newClient(at, o, walletMeaning, true)}
}

// Close drops idle connections. The wallet can still be used.
func (w *Wallet) Close() { w.client.close() }

// Version is the version of the wallet's RPC interface, such as 1.25.
type Version struct{ Major, Minor uint16 }

// Version asks for the version of the RPC interface.
func (w *Wallet) Version(ctx context.Context) (Version, error) {
	var out struct {
		Version uint32 `json:"version"`
	}
	err := w.client.rpc(ctx, call{method: "get_version", safe: true}, &out)
	return Version{Major: uint16(out.Version >> 16), Minor: uint16(out.Version)}, err
}

// Height is the number of blocks that the wallet has scanned. It comes from
// memory: compare it with the daemon's height to see whether the wallet lags.
func (w *Wallet) Height(ctx context.Context) (uint64, error) {
	var out struct {
		Height uint64 `json:"height"`
	}
	err := w.client.rpc(ctx, call{method: "get_height", safe: true}, &out)
	return out.Height, err
}

// Refresh scans the blocks that the wallet has not seen and returns how many
// there were. ErrUnavailable when the daemon does not answer.
func (w *Wallet) Refresh(ctx context.Context) (uint64, error) {
	var out struct {
		BlocksFetched uint64 `json:"blocks_fetched"`
	}
	err := w.client.rpc(ctx, call{method: "refresh", safe: true, long: true}, &out)
	return out.BlocksFetched, err
}

// Rescan reads the chain anew, from the block at which the wallet was made, and
// keeps the addresses that were made and what the wallet knows of its own
// payments. It takes as long as that takes; the process answers nothing else
// meanwhile, and goes on when the caller gives up.
func (w *Wallet) Rescan(ctx context.Context) error {
	params := map[string]any{"hard": false}
	return w.client.rpc(ctx, call{method: "rescan_blockchain", params: params, endless: true}, nil)
}

// CatchUp lets the wallet see every block that the daemon has. ErrUnavailable
// when it does not get there: after a deep reorganization Refresh says that it
// did, and the wallet stays where it was. What it then shows of its outputs is
// not to be believed.
func (w *Wallet) CatchUp(ctx context.Context, d *Daemon) error {
	info, err := d.Info(ctx)
	if err != nil {
		return err
	}
	_, err = w.CatchUpTo(ctx, info)
	return err
}

// CatchUpTo is CatchUp with what the daemon said of its chain, and returns the number
// of blocks that the wallet has seen.
func (w *Wallet) CatchUpTo(ctx context.Context, info Info) (uint64, error) {
	height, err := w.ReadUpTo(ctx, info)
	if err == nil && height < info.Height {
		err = fmt.Errorf("%w: the wallet has seen %d of %d blocks", ErrUnavailable, height, info.Height)
	}
	return height, err
}

// ReadUpTo lets the wallet read the daemon's chain as far as the daemon said that
// it reaches, and returns the number of blocks that the wallet has seen: fewer than
// the daemon's when it did not get there. A wallet that has read up to the same
// newest block before is not asked again, which takes it a tenth of a second.
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

// SetAutoRefresh lets the wallet scan new blocks by itself every period,
// rounded down to whole seconds and at least one; or stops that.
func (w *Wallet) SetAutoRefresh(ctx context.Context, enable bool, period time.Duration) error {
	params := map[string]any{"enable": enable}
	if enable {
		params["period"] = max(1, int64(period/time.Second))
	}
	return w.client.rpc(ctx, call{method: "auto_refresh", params: params, safe: true}, nil)
}

// Store writes the wallet to its file. What was created since the last time
// is lost when the process is killed before.
func (w *Wallet) Store(ctx context.Context) error {
	return w.client.rpc(ctx, call{method: "store", long: true, safe: true}, nil)
}

// Balance is what account 0 holds.
type Balance struct {
	// Total counts locked and frozen outputs in, Unlocked does not.
	Total, Unlocked money.Piconero
	// BlocksToUnlock is the number of blocks until all of it is unlocked.
	BlocksToUnlock uint64
}

// Balance asks for the balance of account 0. It is slow in a wallet with
// thousands of addresses.
func (w *Wallet) Balance(ctx context.Context) (Balance, error) {
	var out struct {
		Balance        uint64 `json:"balance"`
		Unlocked       uint64 `json:"unlocked_balance"`
		BlocksToUnlock uint64 `json:"blocks_to_unlock"`
	}
	k := call{method: "get_balance", params: map[string]any{"account_index": 0}, safe: true}
	if err := w.client.rpc(ctx, k, &out); err != nil {
		return Balance{}, err
	}
	return Balance{
		Total:          money.Piconero(out.Balance),
		Unlocked:       money.Piconero(out.Unlocked),
		BlocksToUnlock: out.BlocksToUnlock,
	}, nil
}
