package witness

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/utxo"
)

// Sent is a transaction that spent a wallet's money, as the wallet sees it on the
// chain, whoever made it.
type Sent struct {
	TxHash string
	// Amount is what left the wallet without the fee, both in atomic units.
	Amount, Fee uint64
	// Height is the block's height, 0 while it is in no block.
	Height uint64
}

// Chain is what the chain tells of a wallet.
type Chain interface {
	// SentSince lists what the wallet sent in blocks above a height, and what is
	// in no block; and the height of the highest block that it has seen.
	SentSince(ctx context.Context, height int64) (sent []Sent, tip int64, err error)
	// Transaction is the bytes of a transaction and the coins that it spends, as
	// chain.Built names them.
	Transaction(ctx context.Context, txHash string) (raw []byte, inputs []string, err error)
	// Spent are what the wallet had received that these inputs spend, by the
	// transaction and the subaddress index that it came with; nil where a wallet
	// pays no merchants.
	Spent(ctx context.Context, inputs []string) ([]Received, error)
}

// Restorable is a Chain whose wallet has to be told which addresses were made.
type Restorable interface {
	Restore(ctx context.Context, highest int64) (restored bool, err error)
}

// Received is an output that the wallet had received.
type Received struct {
	TxHash          string
	SubaddressIndex uint32
}

// MoneroChain asks the spending wallet, after it has seen every block.
type MoneroChain struct {
	Wallet *monero.Wallet
	Daemon *monero.Daemon
}

// SentSince lists what was sent.
func (c MoneroChain) SentSince(ctx context.Context, height int64) ([]Sent, int64, error) {
	if err := c.Wallet.CatchUp(ctx, c.Daemon); err != nil {
		return nil, 0, err
	}
	blocks, err := c.Wallet.Height(ctx)
	if err != nil {
		return nil, 0, err
	}
	rows, err := c.Wallet.Sent(ctx, uint64(height))
	if err != nil {
		return nil, 0, err
	}
	list := make([]Sent, 0, len(rows))
	for _, r := range rows {
		list = append(list, Sent{TxHash: r.TxHash, Amount: uint64(r.Amount), Fee: uint64(r.Fee), Height: r.Height})
	}
	return list, int64(blocks) - 1, nil
}

// Restore lets a spending wallet that was made again from its seed, or is an older
// copy, know every address up to this index and read the chain again, since it does
// not see the money of addresses that it has not made. It says whether that was
// needed.
func (c MoneroChain) Restore(ctx context.Context, highest int64) (bool, error) {
	_, made, err := c.Wallet.AddressAt(ctx, uint32(highest))
	if err != nil || made {
		return false, err
	}
	if err := c.Wallet.EnsureAddressCount(ctx, uint32(highest)+1); err != nil {
		return false, err
	}
	if err := c.Wallet.Rescan(ctx); err != nil {
		return false, err
	}
	return true, c.Wallet.Store(ctx)
}

// Transaction asks the daemon.
func (c MoneroChain) Transaction(ctx context.Context, txHash string) ([]byte, []string, error) {
	text, err := c.Daemon.TransactionBytes(ctx, txHash)
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
func (c MoneroChain) Spent(ctx context.Context, inputs []string) ([]Received, error) {
	outputs, err := c.Wallet.IncomingTransfers(ctx, nil)
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

// SentSince lists what was sent.
func (c UTXOChain) SentSince(ctx context.Context, height int64) ([]Sent, int64, error) {
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

// Spent is nothing: such a wallet belongs to the exchange.
func (UTXOChain) Spent(context.Context, []string) ([]Received, error) { return nil, nil }
