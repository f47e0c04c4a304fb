package witness

import (
	"context"
	"errors"

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
