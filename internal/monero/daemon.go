package monero

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/durapay/durapay/internal/money"
)

// Daemon is a client of one monerod. It is safe for concurrent use.
//
// Every method can return ErrUnavailable, ErrLogin and ErrResponse. Methods of a Daemon
// that Only returned can also return ErrNetType.
type Daemon struct {
	client *client
	// only are the networks on which the daemon is believed; nil for all. believed reports
	// whether it was on one of them when it last answered Info.
	only     []NetType
	believed atomic.Bool
}

// NewDaemon makes a client. It does not call the daemon yet.
func NewDaemon(at Endpoint, o Options) *Daemon {
	return &Daemon{client: newClient(at, o, daemonMeaning, false)}
}

// Close drops idle connections. The Daemon can still be used.
func (d *Daemon) Close() { d.client.process.Close() }

// Info is the state of the daemon's chain.
type Info struct {
	// Height is the number of blocks in the chain.
	Height uint64 `json:"height"`
	// TargetHeight is the height of its peers while it catches up, else 0.
	TargetHeight uint64 `json:"target_height"`
	// TopHash is the hash of the block at Height − 1.
	TopHash      string  `json:"top_block_hash"`
	Synchronized bool    `json:"synchronized"`
	NetType      NetType `json:"nettype"`
	// PoolSize is the number of transactions waiting for a block.
	PoolSize uint64 `json:"tx_pool_size"`
}

// Info asks for the state of the chain.
func (d *Daemon) Info(ctx context.Context) (Info, error) {
	var out struct {
		daemonStatus
		Info
	}
	k := call{Method: "get_info", Safe: true}
	if err := d.client.rpc(ctx, k, &out); err != nil {
		return Info{}, err
	}
	if err := d.checkStatus(k, out); err != nil {
		return Info{}, err
	}
	if err := d.believe(out.NetType); err != nil {
		return Info{}, err
	}
	return out.Info, nil
}

// BlockHash returns the hash of the block at a height, from 0 on. It returns ErrNotFound
// above the top.
func (d *Daemon) BlockHash(ctx context.Context, height uint64) (string, error) {
	var out struct {
		daemonStatus
		Header struct {
			Hash string `json:"hash"`
		} `json:"block_header"`
	}
	params := map[string]any{"height": height}
	err := d.rpc(ctx, call{Method: "get_block_header_by_height", Params: params, Safe: true}, &out)
	return out.Header.Hash, err
}

// FeeEstimate is the current price of a transaction, in piconero per byte of weight.
type FeeEstimate struct {
	PerByte money.Piconero
	// Tiers are the fees of the four priorities, lowest first. It is empty if the daemon is
	// too old to return them.
	Tiers []money.Piconero
}

// FeeEstimate asks for the current fees.
func (d *Daemon) FeeEstimate(ctx context.Context) (FeeEstimate, error) {
	var out struct {
		daemonStatus
		Fee  uint64   `json:"fee"`
		Fees []uint64 `json:"fees"`
	}
	if err := d.rpc(ctx, call{Method: "get_fee_estimate", Safe: true}, &out); err != nil {
		return FeeEstimate{}, err
	}
	return FeeEstimate{PerByte: money.Piconero(out.Fee), Tiers: piconeros(out.Fees)}, nil
}

// daemonStatus is part of every answer of a daemon.
type daemonStatus struct {
	Status string `json:"status"`
}

func (s daemonStatus) status() string { return s.Status }

type statusAnswer interface{ status() string }

// rpc makes a JSON-RPC call whose result carries a status.
func (d *Daemon) rpc(ctx context.Context, k call, out statusAnswer) error {
	return d.ask(ctx, k, out, d.client.rpc)
}

// path calls an endpoint with a path of its own whose answer carries a status.
func (d *Daemon) path(ctx context.Context, k call, out statusAnswer) error {
	return d.ask(ctx, k, out, d.client.path)
}

func (d *Daemon) ask(ctx context.Context, k call, out statusAnswer, by func(context.Context, call, any) error) error {
	if err := d.admit(ctx); err != nil {
		return err
	}
	if err := by(ctx, k, out); err != nil {
		return err
	}
	return d.checkStatus(k, out)
}

func (d *Daemon) checkStatus(k call, out statusAnswer) error {
	switch s := out.status(); s {
	case "OK":
		return nil
	case "":
		return fmt.Errorf("%w: %s: no status", ErrResponse, k.Method)
	default:
		return d.client.process.Refusal(k.Method, 0, s)
	}
}
