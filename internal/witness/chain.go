package witness

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/utxo"
)

// ErrWrongChain is returned when a wallet's daemon is on another network than the
// wallet. Until that is corrected, no transaction is built and no address is given
// out.
var ErrWrongChain = errors.New("witness: the daemon is not on the wallet's network")

// Sent is a transaction that spent a wallet's money, as the wallet sees it on the
// chain. Any process or person may have made it.
type Sent struct {
	TxHash string
	// Amount is the sum that left the wallet, without the fee. Both are in atomic
	// units.
	Amount, Fee uint64
	// Height is the block's height, 0 while it is in no block.
	Height uint64
}

// Chain is the chain's information about a wallet.
type Chain interface {
	Finder
	Releaser

	// SentSince lists the wallet's transactions in blocks above a height, and those in
	// no block. tip is the height of the highest block that the wallet has read. It
	// returns ErrWrongChain.
	SentSince(ctx context.Context, height int64, by Asking) (sent []Sent, tip int64, err error)
	// Transaction returns the bytes of a transaction and the coins that it spends, as
	// chain.Built names them. It returns ErrMissing.
	Transaction(ctx context.Context, txHash string) (raw []byte, inputs []string, err error)
	// Spent returns the received payments that these inputs spend, by transaction and
	// subaddress index; nil for a wallet that pays no merchants.
	Spent(ctx context.Context, inputs []string) ([]Received, error)
}

// Restorable is a Chain whose wallet must be given the number of its addresses.
type Restorable interface {
	Restore(ctx context.Context, highest int64) (restored bool, err error)
}

// Watching is a Chain whose wallet sees only the money of addresses whose keys it
// has made, and is asked by address.
type Watching interface {
	Watches(ctx context.Context, address string) (bool, error)
}

// Asking is the way in which a wallet is asked for its transactions.
type Asking int

// The ways.
const (
	// Now asks the wallet.
	Now Asking = iota
	// ByBlock asks the wallet only after its chain has changed. If the chain still has the
	// same newest block and the height is not lower, the result is the earlier one, in
	// which transactions without a block may be outdated.
	ByBlock
	// WithPool asks the wallet, and also the daemon for transactions in its pool that a
	// wallet learns of only from blocks. Their Amount and Fee are 0, because the wallet
	// does not show them. It is expensive for a large wallet.
	WithPool
)

// Received identifies a payment that the wallet received: a transaction and a
// subaddress.
type Received struct {
	TxHash          string `json:"tx"`
	SubaddressIndex uint32 `json:"index"`
}

// MoneroChain asks the spending wallet, after the wallet has read every block.
type MoneroChain struct {
	Spender *xmrwallet.Spender
	Daemon  *monero.Daemon

	lastAnswer atomic.Pointer[sentAnswer]
}

// SentSince lists the wallet's transactions.
func (c *MoneroChain) SentSince(ctx context.Context, height int64, by Asking) ([]Sent, int64, error) {
	info, err := c.info(ctx)
	if err != nil {
		return nil, 0, err
	}
	if t := c.lastAnswer.Load(); by == ByBlock && t != nil && t.newest == info.TopHash && info.TopHash != "" && t.since <= height {
		above := slices.DeleteFunc(slices.Clone(t.sent), func(s Sent) bool { return s.Height > 0 && int64(s.Height) <= height })
		return above, t.tip, nil
	}
	sent, tip, err := c.sentSince(ctx, info, height)
	if err != nil || by != WithPool {
		return sent, tip, err
	}
	waiting, err := c.sentInPool(ctx)
	return slices.Concat(sent, waiting), tip, err
}

// info returns the state of the daemon. It returns ErrWrongChain.
func (c *MoneroChain) info(ctx context.Context) (monero.Info, error) {
	info, err := c.Daemon.Info(ctx)
	if errors.Is(err, monero.ErrNetType) {
		err = fmt.Errorf("%w: %w", ErrWrongChain, err)
	}
	return info, err
}

// sentInPool asks the daemon which of the outputs that no block spends are spent in
// its pool.
func (c *MoneroChain) sentInPool(ctx context.Context) ([]Sent, error) {
	outputs, err := c.Spender.Unspent(ctx)
	if err != nil {
		return nil, err
	}
	images := make([]string, len(outputs))
	for i, o := range outputs {
		images[i] = o.KeyImage
	}
	states, err := c.Daemon.KeyImages(ctx, images)
	if err != nil {
		return nil, err
	}
	var spent []string
	for i, s := range states {
		if s == monero.SpentInPool {
			spent = append(spent, images[i])
		}
	}
	if len(spent) == 0 {
		return nil, nil
	}
	hashes, err := c.Daemon.PoolSpends(ctx, spent)
	list := make([]Sent, len(hashes))
	for i, hash := range hashes {
		list[i].TxHash = hash
	}
	return list, err
}

// Restore makes a spending wallet create every address up to this index, and read the
// chain again if it has read past a payment to one of them: see xmrwallet.Spender. It reports
// whether the wallet has read the chain again. It returns ErrWrongChain.
func (c *MoneroChain) Restore(ctx context.Context, highest int64) (bool, error) {
	if _, err := c.info(ctx); err != nil {
		return false, err
	}
	again, err := c.Spender.Raise(ctx, uint64(highest))
	if again {
		c.lastAnswer.Store(nil)
	}
	return again, err
}

// Transaction asks the daemon.
func (c *MoneroChain) Transaction(ctx context.Context, txHash string) ([]byte, []string, error) {
	text, err := c.Daemon.TransactionBytes(ctx, txHash)
	if errors.Is(err, monero.ErrNotFound) {
		err = ErrMissing
	}
	if err != nil {
		return nil, nil, err
	}
	images, err := monero.KeyImages(text)
	if err != nil {
		return nil, nil, err
	}
	raw, err := hex.DecodeString(text)
	return raw, images, err
}

// Spent asks the spending wallet, which knows the key images of its outputs.
func (c *MoneroChain) Spent(ctx context.Context, inputs []string) ([]Received, error) {
	outputs, err := c.Spender.IncomingTransfers(ctx, nil)
	if err != nil {
		return nil, err
	}
	var list []Received
	for _, o := range outputs {
		if slices.Contains(inputs, o.KeyImage) {
			list = append(list, Received{TxHash: o.TxHash, SubaddressIndex: o.SubaddressIndex})
		}
	}
	return list, nil
}

// UTXOChain asks a daemon's wallet.
type UTXOChain struct{ Client *utxo.Client }

// SentSince asks the wallet, which knows its own transactions in the pool.
func (c UTXOChain) SentSince(ctx context.Context, height int64, _ Asking) ([]Sent, int64, error) {
	info, err := c.Client.Info(ctx)
	if err != nil {
		return nil, 0, err
	}
	if scanning, err := c.Client.IsScanning(ctx); err != nil || scanning {
		return nil, 0, errors.Join(ErrUnknown, err)
	}
	since := ""
	if height > 0 {
		if since, err = c.Client.BlockHash(ctx, min(uint64(height), info.Blocks)); err != nil {
			return nil, 0, err
		}
	}
	rows, err := c.Client.SentSince(ctx, since)
	if err != nil {
		return nil, 0, err
	}
	list := make([]Sent, 0, len(rows))
	for _, r := range rows {
		s := Sent{TxHash: r.TxHash, Fee: uint64(r.Fee), Height: r.Height}
		for _, p := range r.Paid {
			s.Amount += uint64(p.Amount)
		}
		list = append(list, s)
	}
	return list, int64(info.Blocks), nil
}

// Transaction asks the daemon.
func (c UTXOChain) Transaction(ctx context.Context, txHash string) ([]byte, []string, error) {
	text, err := c.Client.TransactionBytes(ctx, txHash)
	if errors.Is(err, utxo.ErrNotFound) {
		err = ErrMissing
	}
	if err != nil {
		return nil, nil, err
	}
	tx, err := c.Client.Decode(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	inputs := make([]string, len(tx.Inputs))
	for i, in := range tx.Inputs {
		inputs[i] = in.String()
	}
	raw, err := hex.DecodeString(text)
	return raw, inputs, err
}

// Watches reports whether the wallet has the key of an address.
func (c UTXOChain) Watches(ctx context.Context, address string) (bool, error) {
	return c.Client.Watches(ctx, address)
}

// Spent returns nothing, because such a wallet belongs to the exchange.
func (UTXOChain) Spent(context.Context, []string) ([]Received, error) { return nil, nil }
