package utxo

import (
	"context"
	"maps"
	"slices"
)

// EnsureWallet makes sure that the daemon has loaded the wallet with a name. It
// creates a missing wallet, encrypted if there is a passphrase. The daemon then loads
// the wallet at every start.
func (c *Client) EnsureWallet(ctx context.Context, name string) error {
	var loaded []string
	if err := c.daemon(ctx, read("listwallets"), &loaded); err != nil {
		return err
	}
	if slices.Contains(loaded, name) {
		return nil
	}
	var dir struct {
		Wallets []struct {
			Name string `json:"name"`
		} `json:"wallets"`
	}
	if err := c.daemon(ctx, read("listwalletdir"), &dir); err != nil {
		return err
	}
	for _, w := range dir.Wallets {
		if w.Name == name {
			return c.daemon(ctx, call{Method: "loadwallet", Params: []any{name, true}, Long: true}, nil)
		}
	}
	params := []any{name, false, false, c.passphrase, false, false, true}
	return c.daemon(ctx, call{Method: "createwallet", Params: params, Long: true}, nil)
}

// NewAddress makes the wallet's next receiving address in the native segwit format
// (bech32). The wallet makes its keys ahead of their use, so it watches the address
// even if it is killed at once. NewAddress is never retried, because a second call
// makes another address.
func (c *Client) NewAddress(ctx context.Context) (string, error) {
	return c.address(ctx, call{Method: "getnewaddress", Params: []any{"", "bech32"}})
}

// ChangeAddress makes the wallet's next address for its own change (bech32).
func (c *Client) ChangeAddress(ctx context.Context) (string, error) {
	return c.address(ctx, call{Method: "getrawchangeaddress", Params: []any{"bech32"}})
}

func (c *Client) address(ctx context.Context, k call) (string, error) {
	var out string
	ask := func() error { return c.wallet(ctx, k, &out) }
	err := ask()
	if codeOf(err) == codeKeypoolEmpty && c.passphrase != "" {
		err = c.unlocked(ctx, ask) // unlocking the wallet makes more keys
	}
	if err == nil && out == "" {
		err = malformed(k.Method, "no address")
	}
	return out, err
}

// KeyPath returns the derivation path of one of the wallet's addresses; empty if the
// wallet does not report it.
func (c *Client) KeyPath(ctx context.Context, address string) (string, error) {
	var out struct {
		Path string `json:"hdkeypath"`
	}
	err := c.wallet(ctx, read("getaddressinfo", address), &out)
	return out.Path, err
}

// Watches reports whether the wallet has the key of an address and therefore sees
// payments to it.
func (c *Client) Watches(ctx context.Context, address string) (bool, error) {
	var out struct {
		Mine bool `json:"ismine"`
	}
	err := c.wallet(ctx, read("getaddressinfo", address), &out)
	return out.Mine, err
}

// MakeKeys makes the wallet have n keys for addresses that it has not handed out. The
// wallet watches those addresses only in later blocks.
func (c *Client) MakeKeys(ctx context.Context, n uint64) error {
	return c.unlocked(ctx, func() error {
		return c.wallet(ctx, call{Method: "keypoolrefill", Params: []any{n}, Long: true, Safe: true}, nil)
	})
}

// Rescan makes the wallet read the chain again. It has no time limit and can take
// hours. The daemon continues when the caller gives up.
func (c *Client) Rescan(ctx context.Context) error {
	return c.wallet(ctx, call{Method: "rescanblockchain", Endless: true}, nil)
}

// Balances are the amounts in the wallet.
type Balances struct {
	// Trusted is confirmed, or is change of the wallet's own transactions.
	Trusted Amount `json:"trusted"`
	// Pending was received and is still in the pool.
	Pending Amount `json:"untrusted_pending"`
	// Immature are block rewards with less than 100 confirmations.
	Immature Amount `json:"immature"`
}

// Balances asks for the wallet's balances. They include locked coins.
func (c *Client) Balances(ctx context.Context) (Balances, error) {
	var out struct {
		Mine Balances `json:"mine"`
	}
	err := c.wallet(ctx, read("getbalances"), &out)
	return out.Mine, err
}

// BalanceAt returns the value of the wallet's coins with at least this many
// confirmations, without immature block rewards. It includes locked coins. The daemon
// stores the sum of each transaction, so the call is cheaper than a list of coins.
func (c *Client) BalanceAt(ctx context.Context, confirmations uint64) (Amount, error) {
	return ask[Amount](ctx, c.wallet, read("getbalance", "*", confirmations))
}

// IsScanning reports whether the wallet is reading the chain again. Until it has
// finished, it does not know all of its coins.
func (c *Client) IsScanning(ctx context.Context) (bool, error) {
	var out struct {
		Scanning any `json:"scanning"`
	}
	err := c.wallet(ctx, read("getwalletinfo"), &out)
	if err == nil && out.Scanning == nil {
		err = malformed("getwalletinfo", "no scanning")
	}
	return out.Scanning != false, err
}

// Unspent is a coin of the wallet that no transaction known to it spends.
type Unspent struct {
	Coin

	Address       string `json:"address"`
	Amount        Amount `json:"amount"`
	Confirmations uint64 `json:"confirmations"`
	// Spendable reports whether the wallet has the key.
	Spendable bool `json:"spendable"`
}

// Unspent lists the wallet's coins with at least this many confirmations, without
// immature block rewards and locked coins. The daemon needs half a millisecond for
// each coin, and other calls to the wallet wait that long.
func (c *Client) Unspent(ctx context.Context, confirmations uint64) ([]Unspent, error) {
	return ask[[]Unspent](ctx, c.wallet, call{Method: "listunspent", Params: []any{confirmations}, Safe: true, Long: true})
}

// UnspentFrom is Unspent limited to coins of at least an amount, and to no more of them
// than most. The daemon decides which. The cost depends only on the number of coins
// listed.
func (c *Client) UnspentFrom(ctx context.Context, confirmations uint64, least Amount, most int) ([]Unspent, error) {
	var out []Unspent
	options := map[string]any{"minimumAmount": least, "maximumCount": most}
	err := c.wallet(ctx, read("listunspent", confirmations, maxConfirmations, []string{}, true, options), &out)
	return out, err
}

// maxConfirmations is the default upper limit of listunspent.
const maxConfirmations = 9_999_999

// Locked lists the coins that are locked.
func (c *Client) Locked(ctx context.Context) ([]Coin, error) {
	return ask[[]Coin](ctx, c.wallet, read("listlockunspent"))
}

// Lock stops the wallet from choosing these coins by itself, until Unlock or until
// the daemon ends. It ignores coins that are spent, already locked, or not the
// wallet's.
func (c *Client) Lock(ctx context.Context, coins []Coin) error {
	if len(coins) == 0 {
		return nil
	}
	params := make([]any, len(coins))
	for i, coin := range coins {
		params[i] = []any{false, []Coin{coin}}
	}
	refusals, err := c.process.Batch(ctx, call{Method: "lockunspent", Safe: true}, c.walletPath, params)
	if err != nil {
		return err
	}
	for _, refusal := range refusals {
		if refusal != nil && codeOf(refusal) != codeParameter {
			return refusal
		}
	}
	return nil
}

// Unlock undoes Lock for one coin, which must be locked.
func (c *Client) Unlock(ctx context.Context, coin Coin) error {
	return c.wallet(ctx, call{Method: "lockunspent", Params: []any{true, []Coin{coin}}}, nil)
}

// UnlockAll undoes every Lock.
func (c *Client) UnlockAll(ctx context.Context) error {
	return c.wallet(ctx, call{Method: "lockunspent", Params: []any{true}, Safe: true}, nil)
}

// Kept returns a transaction that paid the wallet or spent its coins, from the
// wallet's own storage. The wallet has it even if it is in no block and no pool, so
// the result has no block and no confirmations. Kept returns ErrNotFound if the
// wallet does not know it.
func (c *Client) Kept(ctx context.Context, txHash string) (Tx, error) {
	var out struct {
		Hex string `json:"hex"`
	}
	if err := c.wallet(ctx, read("gettransaction", txHash), &out); err != nil {
		return Tx{}, err
	}
	return c.Decode(ctx, out.Hex)
}

// Abandon marks one of the wallet's transactions as one that will not be mined. The
// wallet then frees the coins and does not send the transaction again. Abandon
// returns ErrNotFound if the wallet does not know the transaction, or if it is in the
// pool or in a block.
func (c *Client) Abandon(ctx context.Context, txHash string) error {
	return c.wallet(ctx, call{Method: "abandontransaction", Params: []any{txHash}}, nil)
}

// Labels returns the distinct labels of the wallet's own addresses. An address
// without a label has the empty label.
func (c *Client) Labels(ctx context.Context) ([]string, error) {
	return ask[[]string](ctx, c.wallet, read("listlabels", "receive"))
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
	addresses := append(slices.Sorted(maps.Keys(out)), "")
	return addresses[0], nil
}

// SetLabel sets the label of an address and replaces an earlier label. The
// address may be the wallet's own or a foreign one. The label is in the wallet's
// file when the call returns.
func (c *Client) SetLabel(ctx context.Context, address, label string) error {
	return c.wallet(ctx, call{Method: "setlabel", Params: []any{address, label}, Safe: true}, nil)
}
