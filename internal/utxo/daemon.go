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
	// Blocks is the height of the highest block, the genesis block's being 0.
	Blocks uint64 `json:"blocks"`
	// Headers is the height up to which the daemon knows of blocks.
	Headers uint64 `json:"headers"`
	// BestHash is the hash of the highest block.
	BestHash string `json:"bestblockhash"`
	// Chain is main, test, signet or regtest.
	Chain string `json:"chain"`
	// Syncing says that the daemon has not caught up with the network yet.
	Syncing bool `json:"initialblockdownload"`
}

// Info asks for the state of the chain.
func (c *Client) Info(ctx context.Context) (Info, error) {
	var out Info
	err := c.daemon(ctx, read("getblockchaininfo"), &out)
	return out, err
}

// TxIndex tells whether the daemon finds every transaction of the chain by
// its hash (option -txindex), and up to which height.
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

// BlockHash is the hash of the block at a height. ErrNotFound above the top.
func (c *Client) BlockHash(ctx context.Context, height uint64) (string, error) {
	var out string
	err := c.daemon(ctx, read("getblockhash", height), &out)
	if codeOf(err) == codeParameter {
		return "", fmt.Errorf("%w: block %d", ErrNotFound, height)
	}
	return out, err
}

// BlockHeight is the height of the block with a hash, in the main chain or
// not. ErrNotFound.
func (c *Client) BlockHeight(ctx context.Context, hash string) (uint64, error) {
	var out struct {
		Height uint64 `json:"height"`
	}
	err := c.daemon(ctx, read("getblockheader", hash), &out)
	return out.Height, err
}

// Coin names one output of a transaction.
type Coin struct {
	TxHash string `json:"txid"`
	Output uint32 `json:"vout"`
}

// String is transaction:output.
func (c Coin) String() string { return fmt.Sprintf("%s:%d", c.TxHash, c.Output) }

// ParseCoin reads what String writes.
func ParseCoin(text string) (Coin, error) {
	hash, output, _ := strings.Cut(text, ":")
	raw, hexErr := hex.DecodeString(hash)
	number, err := strconv.ParseUint(output, 10, 32)
	if err != nil || hexErr != nil || len(raw) != 32 {
		return Coin{}, fmt.Errorf("utxo: %.80q is not a coin", text)
	}
	return Coin{TxHash: hash, Output: uint32(number)}, nil
}

// Tx is a transaction as the daemon knows it.
type Tx struct {
	Hash string
	// Confirmations is 0 while it is in the pool, or in a block that is not
	// part of the main chain.
	Confirmations uint64
	// BlockHash is empty while it is in the pool.
	BlockHash string
	// Inputs are the coins that it spends; a block reward has none. Inputs of
	// Litecoin's extension blocks (MWEB) are left out: they show nothing.
	Inputs  []Coin
	Outputs []TxOutput
}

// TxOutput is one output of a transaction.
type TxOutput struct {
	Value Amount
	// Script is what must be satisfied to spend it, in hex.
	Script string
	// Addresses are those that can spend it, none when the script has no form
	// of an address.
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

// script is how an output can be spent; daemons from 22 on name one address.
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

// Transaction finds a transaction in the pool or, with -txindex, in a block.
// ErrNotFound.
func (c *Client) Transaction(ctx context.Context, txHash string) (Tx, error) {
	var out txAnswer
	err := c.daemon(ctx, read("getrawtransaction", txHash, true), &out)
	return out.tx(), err
}

// TransactionBytes is a transaction of the pool or, with -txindex, of a block,
// serialized (hex). ErrNotFound.
func (c *Client) TransactionBytes(ctx context.Context, txHash string) (string, error) {
	var out string
	err := c.daemon(ctx, read("getrawtransaction", txHash, false), &out)
	return out, err
}

// Decode reads a signed transaction (hex); the daemon need not know it.
func (c *Client) Decode(ctx context.Context, rawHex string) (Tx, error) {
	var out txAnswer
	err := c.daemon(ctx, read("decoderawtransaction", rawHex), &out)
	return out.tx(), err
}

// Script is what an output to an address must hold, in hex: an address can
// have more than one spelling. ErrAddress when it is none of the daemon's
// network, or one of Litecoin's extension blocks (MWEB), which have no script.
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

// InPool says whether the daemon's pool holds a transaction.
func (c *Client) InPool(ctx context.Context, txHash string) (bool, error) {
	err := c.daemon(ctx, read("getmempoolentry", txHash), nil)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// IsUnspent says whether a coin exists and is unspent in the chain; withPool,
// in the chain as the pool would make it.
func (c *Client) IsUnspent(ctx context.Context, coin Coin, withPool bool) (bool, error) {
	out, err := c.Output(ctx, coin, withPool)
	return out != nil, err
}

// Output is an unspent output of the chain.
type Output struct {
	Value         Amount `json:"value"`
	Confirmations uint64 `json:"confirmations"`
}

// Output is the output that a coin names while it is unspent, in the view that
// IsUnspent has, else nil.
func (c *Client) Output(ctx context.Context, coin Coin, withPool bool) (*Output, error) {
	var out *Output
	err := c.daemon(ctx, read("gettxout", coin.TxHash, coin.Output, withPool), &out)
	return out, err
}

// FeeRate is the fee for a transaction of 1000 virtual bytes that is to be
// mined within a number of blocks. ErrNotFound when the daemon has seen too
// little to tell.
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

// MinFeeRate is the fee for 1000 virtual bytes below which the pool takes
// nothing now.
func (c *Client) MinFeeRate(ctx context.Context) (Amount, error) {
	var out struct {
		Pool  Amount `json:"mempoolminfee"`
		Relay Amount `json:"minrelaytxfee"`
	}
	err := c.daemon(ctx, read("getmempoolinfo"), &out)
	return max(out.Pool, out.Relay), err
}
