package utxo

import "context"

// Generate mines n blocks on a regtest chain, pays the rewards to address,
// and returns their hashes.
func (c *Client) Generate(ctx context.Context, address string, n uint64) ([]string, error) {
	var out []string
	err := c.daemon(ctx, call{method: "generatetoaddress", params: []any{n, address}, long: true}, &out)
	return out, err
}

// Flush writes the chain to the disk. A daemon does so once an hour by itself:
// killed before, it has forgotten blocks that no peer gives it again.
func (c *Client) Flush(ctx context.Context) error {
	// That it flushes is a side effect: it counts what is on the disk.
	return c.daemon(ctx, call{method: "gettxoutsetinfo", safe: true, long: true}, nil)
}

// PegIn sends an amount from the wallet into Litecoin's extension blocks
// (MWEB), to an address of the wallet's own.
func (c *Client) PegIn(ctx context.Context, amount Amount) error {
	var address string
	if err := c.wallet(ctx, call{method: "getnewaddress", params: []any{"", "mweb"}}, &address); err != nil {
		return err
	}
	_, err := c.Pay(ctx, address, amount)
	return err
}

// Pay builds and sends a payment in one step, as a customer does, and returns
// its hash. A caller that dies meanwhile does not know whether it was sent.
func (c *Client) Pay(ctx context.Context, address string, amount Amount) (string, error) {
	var txHash string
	err := c.wallet(ctx, call{method: "sendtoaddress", params: []any{address, amount}}, &txHash)
	return txHash, err
}

// Invalidate takes a block and all above it out of the main chain. It makes a
// reorganization on a regtest chain; their transactions wait in the pool again.
func (c *Client) Invalidate(ctx context.Context, blockHash string) error {
	return c.daemon(ctx, call{method: "invalidateblock", params: []any{blockHash}, safe: true, long: true}, nil)
}
