package utxo

import "context"

// Generate mines n blocks on a regtest chain, pays the rewards to address, and
// returns the hashes of the blocks.
func (c *Client) Generate(ctx context.Context, address string, n uint64) ([]string, error) {
	return ask[[]string](ctx, c.daemon, call{Method: "generatetoaddress", Params: []any{n, address}, Long: true})
}

// Flush makes the daemon write the chain to the disk. By itself the daemon does
// so once an hour. If it is killed earlier, it loses blocks that no peer can
// send it again.
func (c *Client) Flush(ctx context.Context) error {
	// This method counts coins on the disk. It flushes as a side effect.
	return c.daemon(ctx, call{Method: "gettxoutsetinfo", Safe: true, Long: true}, nil)
}

// PegIn sends an amount from the wallet into Litecoin's extension blocks
// (MWEB), to one of the wallet's own addresses.
func (c *Client) PegIn(ctx context.Context, amount Amount) error {
	var address string
	if err := c.wallet(ctx, call{Method: "getnewaddress", Params: []any{"", "mweb"}}, &address); err != nil {
		return err
	}
	_, err := c.Pay(ctx, address, amount)
	return err
}

// Pay builds and sends a payment in one step, as a customer does, and returns
// its hash. A caller that dies during the call does not know whether the
// payment was sent.
func (c *Client) Pay(ctx context.Context, address string, amount Amount) (string, error) {
	var txHash string
	err := c.wallet(ctx, call{Method: "sendtoaddress", Params: []any{address, amount}}, &txHash)
	return txHash, err
}

// Invalidate removes a block and all blocks above it from the main chain. It
// makes a reorganization on a regtest chain. The transactions of these blocks
// wait in the pool again.
func (c *Client) Invalidate(ctx context.Context, blockHash string) error {
	return c.daemon(ctx, call{Method: "invalidateblock", Params: []any{blockHash}, Safe: true, Long: true}, nil)
}
