package monero

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// The calls that only the tests of this package make.

// Version is the version of the wallet's RPC interface, such as 1.25.
type Version struct{ Major, Minor uint16 }

// Version asks for the version of the RPC interface.
func (w *Wallet) Version(ctx context.Context) (Version, error) {
	var out struct {
		Version uint32 `json:"version"`
	}
	err := w.client.rpc(ctx, call{Method: "get_version", Safe: true}, &out)
	return Version{Major: uint16(out.Version >> 16), Minor: uint16(out.Version)}, err
}

// Balance is the balance of account 0.
type Balance struct {
	// Total includes locked and frozen outputs, Unlocked does not.
	Total, Unlocked money.Piconero
	// BlocksToUnlock is the number of blocks until the whole balance is unlocked.
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
	k := call{Method: "get_balance", Params: map[string]any{"account_index": 0}, Safe: true}
	if err := w.client.rpc(ctx, k, &out); err != nil {
		return Balance{}, err
	}
	return Balance{
		Total:          money.Piconero(out.Balance),
		Unlocked:       money.Piconero(out.Unlocked),
		BlocksToUnlock: out.BlocksToUnlock,
	}, nil
}

// BlockHeader identifies a block.
type BlockHeader struct {
	Height    uint64
	Hash      string
	PrevHash  string
	Timestamp time.Time
}

// BlockHeader asks for the block at a height, from 0 on. It returns ErrNotFound above
// the top.
func (d *Daemon) BlockHeader(ctx context.Context, height uint64) (BlockHeader, error) {
	var out struct {
		daemonStatus
		Header struct {
			Height    uint64 `json:"height"`
			Hash      string `json:"hash"`
			PrevHash  string `json:"prev_hash"`
			Timestamp int64  `json:"timestamp"`
		} `json:"block_header"`
	}
	params := map[string]any{"height": height}
	k := call{Method: "get_block_header_by_height", Params: params, Safe: true}
	if err := d.rpc(ctx, k, &out); err != nil {
		return BlockHeader{}, err
	}
	h := out.Header
	return BlockHeader{
		Height: h.Height, Hash: h.Hash, PrevHash: h.PrevHash, Timestamp: time.Unix(h.Timestamp, 0).UTC(),
	}, nil
}
