package utxo

import "context"

// Generate mines n blocks on a regtest chain, pays the rewards to address,
// and returns their hashes.
func (c *Client) Generate(ctx context.Context, address string, n uint64) ([]string, error) {
	var out []string
	err := c.daemon(ctx, call{method: "generatetoaddress", params: []any{n, address}, long: true}, &out)
	return out, err
}

// Invalidate takes a block and all above it out of the main chain. It makes a
// reorganization on a regtest chain; their transactions wait in the pool again.
func (c *Client) Invalidate(ctx context.Context, blockHash string) error {
	return c.daemon(ctx, call{method: "invalidateblock", params: []any{blockHash}, safe: true, long: true}, nil)
}
