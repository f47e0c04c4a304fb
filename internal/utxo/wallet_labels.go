package utxo

import "context"

// Labels returns the distinct labels of the wallet's own addresses. An address
// without a label has the empty label.
func (c *Client) Labels(ctx context.Context) ([]string, error) {
	var out []string
	err := c.wallet(ctx, read("listlabels", "receive"), &out)
	return out, err
}

// LabelledAddress returns the alphabetically first address with a label; empty if
// there is none.
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

// SetLabel sets the label of an address and replaces an earlier label. The
// address may be the wallet's own or a foreign one. The label is in the wallet's
// file when the call returns.
func (c *Client) SetLabel(ctx context.Context, address, label string) error {
	return c.wallet(ctx, call{method: "setlabel", params: []any{address, label}, safe: true}, nil)
}
