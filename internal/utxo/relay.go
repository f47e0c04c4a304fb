package utxo

import (
	"context"
	"fmt"
)

// TestAccept asks whether the pool would take a signed transaction (hex),
// without giving it away. ErrRefused with the daemon's reason when not.
func (c *Client) TestAccept(ctx context.Context, rawHex string) error {
	var out []struct {
		Allowed bool   `json:"allowed"`
		Reason  string `json:"reject-reason"`
	}
	const method = "testmempoolaccept"
	if err := c.daemon(ctx, read(method, []string{rawHex}, 0), &out); err != nil {
		return err
	}
	switch {
	case len(out) != 1:
		return malformed(method, "not one answer")
	case !out[0].Allowed:
		return fmt.Errorf("%w: %s", ErrRefused, out[0].Reason)
	}
	return nil
}

// Send hands a signed transaction (hex) to the network. Again is harmless
// while it is in the pool, and after it was mined as long as one of its
// outputs is unspent; when all are spent the answer is ErrRefused, so ask for
// the transaction then. ErrRefused when the pool will not have it.
func (c *Client) Send(ctx context.Context, rawHex string) error {
	// No bound on the fee: it was checked when the transaction was built.
	err := c.daemon(ctx, call{method: "sendrawtransaction", params: []any{rawHex, 0}, safe: true}, nil)
	if codeOf(err) == codeAlreadyInChain {
		return nil
	}
	return err
}
