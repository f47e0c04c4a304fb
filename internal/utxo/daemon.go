package utxo

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Info is the state of the daemon's chain.
type Info struct {
	// Blocks is the height of the highest block. The genesis block has height 0.
	Blocks uint64 `json:"blocks"`
	// Headers is the height up to which the daemon has block headers.
	Headers uint64 `json:"headers"`
	// BestHash is the hash of the highest block.
	BestHash string `json:"bestblockhash"`
	// Chain is main, test, signet or regtest.
	Chain string `json:"chain"`
	// Syncing reports whether the daemon has not caught up with the network yet.
	Syncing bool `json:"initialblockdownload"`
}

// Info asks for the state of the chain.
func (c *Client) Info(ctx context.Context) (Info, error) {
	return ask[Info](ctx, c.daemon, read("getblockchaininfo"))
}

// TxIndex reports whether the daemon finds every transaction of the chain by
// its hash (option -txindex), and returns the height up to which it does.
func (c *Client) TxIndex(ctx context.Context) (height uint64, ok bool, err error) {
	var out struct {
		TxIndex *struct {
			Height uint64 `json:"best_block_height"`
		} `json:"txindex"`
	}
	err = c.daemon(ctx, read("getindexinfo", "txindex"), &out)
	if err != nil || out.TxIndex == nil {
		return 0, false, err
	}
	return out.TxIndex.Height, true, nil
}

// BlockHash returns the hash of the block at a height, and ErrNotFound above
// the top.
func (c *Client) BlockHash(ctx context.Context, height uint64) (string, error) {
	var out string
	err := c.daemon(ctx, read("getblockhash", height), &out)
	if codeOf(err) == codeParameter {
		return "", fmt.Errorf("%w: block %d", ErrNotFound, height)
	}
	return out, err
}

// BlockHeight returns the height of the block with a hash, also if the block is
// not in the main chain. It returns ErrNotFound for an unknown block.
func (c *Client) BlockHeight(ctx context.Context, hash string) (uint64, error) {
	var out struct {
		Height uint64 `json:"height"`
	}
	err := c.daemon(ctx, read("getblockheader", hash), &out)
	return out.Height, err
}

// Coin identifies one output of a transaction.
type Coin struct {
	TxHash string `json:"txid"`
	Output uint32 `json:"vout"`
}

// String returns transaction:output.
func (c Coin) String() string { return fmt.Sprintf("%s:%d", c.TxHash, c.Output) }

// ParseCoin reads a text that String wrote.
func ParseCoin(text string) (Coin, error) {
	hash, output, _ := strings.Cut(text, ":")
	raw, hexErr := hex.DecodeString(hash)
	number, err := strconv.ParseUint(output, 10, 32)
	if err != nil || hexErr != nil || len(raw) != 32 {
		return Coin{}, fmt.Errorf("utxo: %.80q is not a coin", text)
	}
	return Coin{TxHash: hash, Output: uint32(number)}, nil
}

// Tx is a transaction, as the daemon sees it.
type Tx struct {
	Hash string
	// Confirmations is 0 while the transaction is in the pool, or in a block that
	// is not part of the main chain.
	Confirmations uint64
	// BlockHash is empty while the transaction is in the pool.
	BlockHash string
	// Inputs are the coins that the transaction spends. A block reward has none.
	// Inputs from Litecoin's extension blocks (MWEB) are left out, because they do
	// not show a coin.
	Inputs  []Coin
	Outputs []TxOutput
}

// TxOutput is one output of a transaction.
type TxOutput struct {
	Value Amount
	// Script is the condition for spending the output, in hex.
	Script string
	// Addresses are the addresses that can spend the output. It is empty if the
	// script does not correspond to an address.
	Addresses []string
}

type txAnswer struct {
	Hash          string `json:"txid"`
	Confirmations uint64 `json:"confirmations"`
	BlockHash     string `json:"blockhash"`
	Inputs        []struct {
		Coin

		MWEB     bool   `json:"ismweb"`
		Coinbase string `json:"coinbase"`
	} `json:"vin"`
	Outputs []struct {
		Value  Amount `json:"value"`
		Script script `json:"scriptPubKey"`
	} `json:"vout"`
}

// script is the condition for spending an output. Daemons from version 22 on
// return one address, older ones a list.
type script struct {
	Hex       string   `json:"hex"`
	Address   string   `json:"address"`
	Addresses []string `json:"addresses"`
}

func (s script) addresses() []string {
	if s.Address != "" {
		return []string{s.Address}
	}
	return s.Addresses
}

func (a txAnswer) tx() Tx {
	tx := Tx{Hash: a.Hash, Confirmations: a.Confirmations, BlockHash: a.BlockHash}
	for _, in := range a.Inputs {
		if in.Coinbase == "" && !in.MWEB {
			tx.Inputs = append(tx.Inputs, in.Coin)
		}
	}
	for _, out := range a.Outputs {
		tx.Outputs = append(tx.Outputs, TxOutput{
			Value: out.Value, Script: out.Script.Hex, Addresses: out.Script.addresses(),
		})
	}
	return tx
}

// Transaction finds a transaction in the pool or, with -txindex, in a block. It
// returns ErrNotFound if there is none.
func (c *Client) Transaction(ctx context.Context, txHash string) (Tx, error) {
	var out txAnswer
	err := c.daemon(ctx, read("getrawtransaction", txHash, true), &out)
	return out.tx(), err
}

// TransactionBytes returns a transaction of the pool or, with -txindex, of a
// block, serialized (hex). It returns ErrNotFound if there is none.
func (c *Client) TransactionBytes(ctx context.Context, txHash string) (string, error) {
	return ask[string](ctx, c.daemon, read("getrawtransaction", txHash, false))
}

// Decode reads a signed transaction (hex). The daemon need not know the
// transaction.
func (c *Client) Decode(ctx context.Context, rawHex string) (Tx, error) {
	var out txAnswer
	err := c.daemon(ctx, read("decoderawtransaction", rawHex), &out)
	return out.tx(), err
}

// Script returns the script of an output that pays to an address, in hex. It is
// the same for every spelling of an address. Script returns ErrAddress if the
// address is not on the daemon's network, or if it is one of Litecoin's
// extension blocks (MWEB), which have no script.
func (c *Client) Script(ctx context.Context, address string) (string, error) {
	var out struct {
		Valid  bool   `json:"isvalid"`
		MWEB   bool   `json:"ismweb"`
		Script string `json:"scriptPubKey"`
	}
	if err := c.daemon(ctx, read("validateaddress", address), &out); err != nil {
		return "", err
	}
	if !out.Valid || out.MWEB || out.Script == "" {
		return "", ErrAddress
	}
	return out.Script, nil
}

// InPool reports whether the daemon's pool holds a transaction.
func (c *Client) InPool(ctx context.Context, txHash string) (bool, error) {
	err := c.daemon(ctx, read("getmempoolentry", txHash), nil)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// IsUnspent reports whether a coin exists in the chain and is unspent. With
// withPool, transactions in the pool count as if they were in the chain.
func (c *Client) IsUnspent(ctx context.Context, coin Coin, withPool bool) (bool, error) {
	out, err := c.Output(ctx, coin, withPool)
	return out != nil, err
}

// Output is an unspent output of the chain.
type Output struct {
	Value         Amount `json:"value"`
	Confirmations uint64 `json:"confirmations"`
}

// Output returns the output of a coin while it is unspent, else nil. withPool
// has the same meaning as in IsUnspent.
func (c *Client) Output(ctx context.Context, coin Coin, withPool bool) (*Output, error) {
	var out *Output
	err := c.daemon(ctx, read("gettxout", coin.TxHash, coin.Output, withPool), &out)
	return out, err
}

// FeeRate returns the fee for 1000 virtual bytes with which a transaction
// should be mined within a number of blocks. It returns ErrNotFound if the
// daemon has seen too few blocks to estimate it.
func (c *Client) FeeRate(ctx context.Context, blocks int) (Amount, error) {
	var out struct {
		Rate *Amount `json:"feerate"`
	}
	if err := c.daemon(ctx, read("estimatesmartfee", blocks), &out); err != nil {
		return 0, err
	}
	if out.Rate == nil || *out.Rate <= 0 {
		return 0, fmt.Errorf("%w: no estimate of fees", ErrNotFound)
	}
	return *out.Rate, nil
}

// MinFeeRate returns the fee for 1000 virtual bytes below which the pool
// accepts no transaction at present.
func (c *Client) MinFeeRate(ctx context.Context) (Amount, error) {
	var out struct {
		Pool  Amount `json:"mempoolminfee"`
		Relay Amount `json:"minrelaytxfee"`
	}
	err := c.daemon(ctx, read("getmempoolinfo"), &out)
	return max(out.Pool, out.Relay), err
}

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
	err := c.daemon(ctx, call{Method: "sendrawtransaction", Params: []any{rawHex, 0}, Safe: true}, nil)
	if codeOf(err) == codeAlreadyInChain {
		return nil
	}
	return err
}
