package monero

import "context"

// GenerateBlocks mines n blocks on a regtest chain, pays the rewards to
// address, and returns the height of the last block.
func (d *Daemon) GenerateBlocks(ctx context.Context, address string, n uint64) (uint64, error) {
	var out struct {
		daemonStatus
		Height uint64 `json:"height"`
	}
	params := map[string]any{"wallet_address": address, "amount_of_blocks": n}
	err := d.rpc(ctx, call{Method: "generateblocks", Params: params, Long: true}, &out)
	return out.Height, err
}

// PopBlocks removes the n highest blocks of the chain, puts their transactions
// back into the pool, and returns the number of blocks that remain. It makes a
// reorganization on a regtest chain. Restricted daemons do not answer it.
func (d *Daemon) PopBlocks(ctx context.Context, n uint64) (uint64, error) {
	var out struct {
		daemonStatus
		Height uint64 `json:"height"`
	}
	k := call{Method: "pop_blocks", Params: map[string]any{"nblocks": n}, Long: true}
	err := d.path(ctx, k, &out)
	return out.Height, err
}
