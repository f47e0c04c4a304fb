package regtest

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/utxo"
)

// Litecoin is a private Litecoin chain and a customer's funded wallet on it.
// Pop is for a caller who has the chain alone.
type Litecoin struct {
	wallet *utxo.Client
	reward string
}

// NewLitecoin uses the daemon at a URL, which carries user and password and
// names the customer's wallet.
func NewLitecoin(ctx context.Context, url string) (*Litecoin, error) {
	wallet, err := utxo.New(utxo.Endpoint{URL: url}, patient())
	if err != nil {
		return nil, err
	}
	reward, err := wallet.NewAddress(ctx)
	if err != nil {
		return nil, fmt.Errorf("litecoin customer: %w", err)
	}
	return &Litecoin{wallet: wallet, reward: reward}, nil
}

// Close drops idle connections.
func (l *Litecoin) Close() { l.wallet.Close() }

// Address makes an address of the customer that no other payer uses.
func (l *Litecoin) Address(ctx context.Context) (string, error) { return l.wallet.NewAddress(ctx) }

// Pay sends an amount to an address and returns the transaction's hash.
func (l *Litecoin) Pay(ctx context.Context, address string, amount utxo.Amount) (string, error) {
	return l.wallet.Pay(ctx, address, amount)
}

// Receipts are the transactions that paid to one of the customer's addresses.
func (l *Litecoin) Receipts(ctx context.Context, address string) ([]utxo.Received, error) {
	all, err := l.AllReceipts(ctx)
	return all[address], err
}

// AllReceipts are those of every address.
func (l *Litecoin) AllReceipts(ctx context.Context) (map[string][]utxo.Received, error) {
	list, err := l.wallet.ReceivedSince(ctx, "")
	if err != nil {
		return nil, err
	}
	all := map[string][]utxo.Received{}
	for _, r := range list {
		if r.Confirmations >= 0 {
			all[r.Address] = append(all[r.Address], r)
		}
	}
	return all, nil
}

// Mine adds n blocks and writes them to the daemon's disk.
func (l *Litecoin) Mine(ctx context.Context, n int) error {
	if _, err := l.wallet.Generate(ctx, l.reward, uint64(n)); err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	return l.wallet.Flush(ctx)
}

// Confirmations is how deep a transaction lies, 0 while it is in the pool.
func (l *Litecoin) Confirmations(ctx context.Context, txHash string) (uint64, error) {
	tx, err := l.wallet.Transaction(ctx, txHash)
	return tx.Confirmations, err
}

// Height is the height of the highest block.
func (l *Litecoin) Height(ctx context.Context) (uint64, error) {
	info, err := l.wallet.Info(ctx)
	return info.Blocks, err
}

// Pop takes the n highest blocks off the chain: the first half of a reorg.
// Their transactions wait in the pool again. The other half is to mine more.
func (l *Litecoin) Pop(ctx context.Context, n int) error {
	height, err := l.Height(ctx)
	if err != nil {
		return err
	}
	hash, err := l.wallet.BlockHash(ctx, height-uint64(n)+1)
	if err != nil {
		return err
	}
	if err := l.wallet.Invalidate(ctx, hash); err != nil {
		return err
	}
	// With the same reward the next block could be the same one, and refused.
	l.reward, err = l.wallet.NewAddress(ctx)
	return err
}

// MineInto adds blocks until one of them holds a transaction.
func (l *Litecoin) MineInto(ctx context.Context, txHash string) error {
	for {
		if err := l.Mine(ctx, 1); err != nil {
			return err
		}
		depth, err := l.Confirmations(ctx, txHash)
		if err != nil || depth > 0 {
			return err
		}
	}
}
