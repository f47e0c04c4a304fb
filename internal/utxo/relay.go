package utxo

import (
	"context"
	"fmt"
)

// TestAccept asks whether the pool would accept a signed transaction (hex),
// without sending it. If not, it returns ErrRefused with the daemon's reason.
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

// Send hands a signed transaction (hex) to the network. Sending it again is
// harmless while it is in the pool. It is also harmless after it was mined, as
// long as one of its outputs is unspent. Once all are spent, Send returns
// ErrRefused, so the caller must then ask for the transaction. Send also
// returns ErrRefused if the pool refuses the transaction.
func (c *Client) Send(ctx context.Context, rawHex string) error {
	// 0 means no limit on the fee: it was checked when the transaction was built.
	err := c.daemon(ctx, call{method: "sendrawtransaction", params: []any{rawHex, 0}, safe: true}, nil)
	if codeOf(err) == codeAlreadyInChain {
		return nil
	}
	return err
}
