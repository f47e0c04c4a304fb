package utxo

import "context"

// Labels are the different labels of the wallet's own addresses. An address
// without one has the empty label.
func (c *Client) Labels(ctx context.Context) ([]string, error) {
	var out []string
	err := c.wallet(ctx, read("listlabels", "receive"), &out)
	return out, err
}

// LabelledAddress is one of the addresses with a label; empty when there is none.
func (c *Client) LabelledAddress(ctx context.Context, label string) (string, error) {
	var out map[string]any
	if err := c.wallet(ctx, read("getaddressesbylabel", label), &out); err != nil {
		if codeOf(err) == codeNoLabel {
			return "", nil
		}
		return "", err
	}
	first := ""
	for address := range out {
		if first == "" || address < first {
			first = address
		}
	}
	return first, nil
}

// SetLabel gives an address, the wallet's own or somebody else's, a label
// instead of the one that it had. The wallet's file has it when the call returns.
func (c *Client) SetLabel(ctx context.Context, address, label string) error {
	return c.wallet(ctx, call{method: "setlabel", params: []any{address, label}, safe: true}, nil)
}
