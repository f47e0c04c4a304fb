package utxowallet

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/utxo"
)

// Relay sends the stored bytes to the daemon.
func (w *Wallet) Relay(ctx context.Context, b chain.Built) error {
	return chain.Relayed(ctx, b, translated(w.client.Send(ctx, hex.EncodeToString(b.Raw))), w.Find)
}

// Find returns the state of a built transaction.
func (w *Wallet) Find(ctx context.Context, b chain.Built) (chain.Found, error) {
	found, err := w.placeOf(ctx, b.TxHash)
	if err == nil && found.State == chain.Unknown {
		// A block removes it from the pool at once, and the daemon indexes it a moment
		// later.
		found, err = w.placeOf(ctx, b.TxHash)
	}
	if err != nil || found.State != chain.Unknown {
		return found, err
	}
	for _, input := range b.Inputs {
		coin, err := utxo.ParseCoin(input)
		if err != nil {
			return chain.Found{}, err
		}
		state, err := w.inputState(ctx, coin)
		if state == chain.InputsMissing && err == nil {
			state, err = w.missingState(ctx, coin.TxHash)
		}
		if err != nil {
			return chain.Found{}, err
		}
		found.Inputs = max(found.Inputs, state)
	}
	return found, nil
}

// placeOf returns where the daemon has a transaction. It is Unknown in a stale block.
func (w *Wallet) placeOf(ctx context.Context, txHash string) (chain.Found, error) {
	tx, err := w.client.Transaction(ctx, txHash)
	switch {
	case errors.Is(err, utxo.ErrNotFound):
	case err != nil:
		return chain.Found{}, translated(err)
	case tx.BlockHash == "":
		return chain.Found{State: chain.InPool}, nil
	case tx.Confirmations > 0:
		height, err := w.client.BlockHeight(ctx, tx.BlockHash)
		return chain.Found{State: chain.Mined, Height: height, Confirmations: tx.Confirmations}, translated(err)
	}
	return chain.Found{}, nil
}

// inputState returns how a coin is spent. The transaction that it was chosen for
// must be unknown to the daemon.
func (w *Wallet) inputState(ctx context.Context, coin utxo.Coin) (chain.InputState, error) {
	for _, view := range []struct {
		withPool bool
		state    chain.InputState
	}{{true, chain.InputsFree}, {false, chain.InputsContested}} {
		unspent, err := w.client.IsUnspent(ctx, coin, view.withPool)
		if err != nil {
			return 0, translated(err)
		}
		if unspent {
			return view.state, nil
		}
	}
	source, err := w.client.Transaction(ctx, coin.TxHash)
	switch {
	case errors.Is(err, utxo.ErrNotFound):
		return chain.InputsMissing, nil
	case err != nil:
		return 0, translated(err)
	case source.Confirmations > 0:
		return chain.InputsSpent, nil
	case source.BlockHash == "": // in the pool, and spent there
		return chain.InputsContested, nil
	}
	return chain.InputsMissing, nil // in a stale block
}

// missingState returns whether a transaction can be mined that spends from txHash,
// which is in no block and no pool. It cannot once a block contains another
// transaction that spends an input of txHash, or an input of a missing transaction
// that txHash spends from. The wallet keeps the bytes of transactions that paid it
// or that it made. missingState does not use the conflicts that the wallet
// remembers, because the wallet still reports them after a reorganization has
// dropped the deciding block.
func (w *Wallet) missingState(ctx context.Context, txHash string) (chain.InputState, error) {
	missing := []string{txHash}
	for n := 0; n < len(missing); n++ {
		tx, err := w.client.Kept(ctx, missing[n])
		if errors.Is(err, utxo.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, translated(err)
		}
		for _, coin := range tx.Inputs {
			state, err := w.inputState(ctx, coin)
			if err != nil || state == chain.InputsSpent {
				return state, err
			}
			if state == chain.InputsMissing && !slices.Contains(missing, coin.TxHash) {
				missing = append(missing, coin.TxHash)
			}
		}
	}
	return chain.InputsMissing, nil
}

// Release frees the coins of an abandoned transaction. If the wallet knows the
// transaction, Release makes it forget it, because the wallet would send it again
// by itself.
func (w *Wallet) Release(ctx context.Context, b chain.Built) error {
	found, err := w.Find(ctx, b)
	if err != nil {
		return err
	}
	if err := chain.Releasable(b, found); err != nil {
		return err
	}
	if err := w.client.Abandon(ctx, b.TxHash); err != nil && !errors.Is(err, utxo.ErrNotFound) {
		return translated(err)
	}
	return w.unlock(ctx, b.Inputs)
}

// unlock frees those coins that are locked.
func (w *Wallet) unlock(ctx context.Context, inputs []string) error {
	locked, err := w.client.Locked(ctx)
	if err != nil {
		return translated(err)
	}
	for _, coin := range locked {
		if !slices.Contains(inputs, coin.String()) {
			continue
		}
		if err := w.client.Unlock(ctx, coin); err != nil {
			return translated(err)
		}
	}
	return nil
}
