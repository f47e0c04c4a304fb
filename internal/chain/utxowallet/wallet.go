package utxowallet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/utxo"
)

const (
	// defaultConfirmations is how deep a coin must be to be spent, unless configured.
	defaultConfirmations = 2
	// feeBlocks is within how many blocks a payment should be mined.
	feeBlocks = 6
	// fallbackFeeRate is the fee for 1000 virtual bytes when the daemon cannot estimate
	// one, and maxFeeRate limits the estimate, both in satoshi.
	fallbackFeeRate, maxFeeRate = 10_000, 500_000
)

// Wallet implements chain.Wallet.
type Wallet struct {
	client *utxo.Client
	// confirmations is how deep a coin must be to be spent.
	confirmations uint64
}

var _ chain.Wallet = (*Wallet)(nil)

// New makes a Wallet from the daemon's wallet that the client names. It spends coins with
// this many confirmations; 0 means 2.
func New(client *utxo.Client, confirmations uint64) *Wallet {
	return &Wallet{client: client, confirmations: cmp.Or(confirmations, defaultConfirmations)}
}

// NewAddress makes a fresh deposit address; Ref is its key's path.
func (w *Wallet) NewAddress(ctx context.Context) (chain.Address, error) {
	text, err := w.client.NewAddress(ctx)
	if err != nil {
		return chain.Address{}, translated(err)
	}
	path, err := w.client.KeyPath(ctx, text)
	return chain.Address{Text: text, Ref: path}, translated(err)
}

// Balance counts coins as unlocked if they are deep enough and not reserved.
func (w *Wallet) Balance(ctx context.Context, promised []string) (chain.Balance, error) {
	deep, err := w.client.BalanceAt(ctx, w.confirmations)
	if err != nil {
		return chain.Balance{}, translated(err)
	}
	kept, err := w.keptBack(ctx, promised)
	if err != nil {
		return chain.Balance{}, err
	}
	total, err := w.total(ctx)
	if err != nil {
		return chain.Balance{}, err
	}
	// The daemon's answers are from different moments, so the difference can be
	// negative.
	return chain.Balance{Unlocked: uint64(max(deep-kept, 0)), Total: total}, nil
}

// total returns the content of the wallet, in satoshi.
func (w *Wallet) total(ctx context.Context) (uint64, error) {
	all, err := w.client.Balances(ctx)
	return uint64(all.Trusted + all.Pending + all.Immature), translated(err)
}

// keptBack returns the value of those reserved coins that are deep enough and that
// the wallet counts as unspent. It first locks the reserved coins again, because
// the daemon forgets its locks at every restart. The wallet counts the inputs of
// its own transactions as spent, in the pool or out of it, and does not lock them.
func (w *Wallet) keptBack(ctx context.Context, promised []string) (utxo.Amount, error) {
	if err := w.reserve(ctx, promised); err != nil {
		return 0, err
	}
	locked, err := w.client.Locked(ctx)
	if err != nil {
		return 0, translated(err)
	}
	var worth utxo.Amount
	for _, coin := range locked {
		if !slices.Contains(promised, coin.String()) {
			continue
		}
		output, err := w.client.Output(ctx, coin, true)
		if err != nil {
			return 0, translated(err)
		}
		if output != nil && output.Confirmations >= w.confirmations {
			worth += output.Value
		}
	}
	return worth, nil
}

// Tip returns the highest block.
func (w *Wallet) Tip(ctx context.Context) (chain.Tip, error) {
	info, err := w.client.Info(ctx)
	if err != nil {
		return chain.Tip{}, translated(err)
	}
	// A header arrives shortly before its block.
	if info.Syncing || info.Headers > info.Blocks+1 {
		return chain.Tip{}, fmt.Errorf("%w: block %d of %d", chain.ErrLagging, info.Blocks, info.Headers)
	}
	indexed, ok, err := w.client.TxIndex(ctx)
	if err != nil {
		return chain.Tip{}, translated(err)
	}
	if !ok || indexed+chain.Depth < info.Blocks {
		return chain.Tip{}, fmt.Errorf("%w: the daemon's index of transactions (option -txindex)", chain.ErrLagging)
	}
	scanning, err := w.client.IsScanning(ctx)
	if err != nil {
		return chain.Tip{}, translated(err)
	}
	if scanning {
		return chain.Tip{}, fmt.Errorf("%w: the wallet is reading the chain", chain.ErrLagging)
	}
	return chain.Tip{Height: info.Blocks, Hash: info.BestHash}, nil
}

// translated converts an error of the daemon into the corresponding error of
// package chain.
func translated(err error) error {
	return chain.Translated(err, [][2]error{
		{utxo.ErrUnavailable, chain.ErrUnavailable},
		{utxo.ErrLogin, chain.ErrUnavailable},
		{utxo.ErrAddress, chain.ErrAddress},
		{utxo.ErrNotFound, chain.ErrNotFound},
		{utxo.ErrNotEnoughMoney, chain.ErrNotEnough},
		{utxo.ErrTooSmall, chain.ErrTooSmall},
		{utxo.ErrTooLarge, chain.ErrTooLarge},
		{utxo.ErrRefused, chain.ErrRefused},
	})
}

func sum(coins []utxo.Unspent) utxo.Amount {
	var total utxo.Amount
	for _, c := range coins {
		total += c.Amount
	}
	return total
}

// preferred returns the wallet's unspent coins that these transactions made. It
// asks for each one, so the daemon lists no other coins. It returns nothing when
// they are more than one transaction can spend.
func (w *Wallet) preferred(ctx context.Context, transactions []string) ([]utxo.Unspent, error) {
	var made []utxo.Received
	for _, txHash := range slices.Compact(slices.Sorted(slices.Values(transactions))) {
		outputs, err := w.client.ReceivedBy(ctx, txHash)
		if err != nil && !errors.Is(err, utxo.ErrNotFound) {
			return nil, translated(err)
		}
		if made = append(made, outputs...); len(made) > maxInputs {
			return nil, nil
		}
	}
	var own []utxo.Unspent
	for _, r := range made {
		coin := utxo.Coin{TxHash: r.TxHash, Output: r.Output}
		output, err := w.client.Output(ctx, coin, true)
		if err != nil {
			return nil, translated(err)
		}
		if output == nil || r.Hidden || (r.Reward && output.Confirmations < coinbaseMaturity) {
			continue
		}
		own = append(own, utxo.Unspent{Coin: coin, Address: r.Address, Amount: output.Value, Confirmations: output.Confirmations, Spendable: true})
	}
	return own, nil
}
