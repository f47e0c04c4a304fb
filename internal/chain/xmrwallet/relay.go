package xmrwallet

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
)

// Relay hands the stored bytes to the daemon.
func (w *Wallet) Relay(ctx context.Context, b chain.Built) error {
	err := w.daemon.Relay(ctx, hex.EncodeToString(b.Raw))
	if !errors.Is(err, monero.ErrRefused) {
		return translated(err)
	}
	found, findErr := w.Find(ctx, b)
	if findErr != nil {
		return findErr
	}
	if found.State != chain.Unknown {
		return nil
	}
	return translated(err)
}

// Find tells what became of a built transaction.
func (w *Wallet) Find(ctx context.Context, b chain.Built) (chain.Found, error) {
	// The tip first: a block that comes in between only adds confirmations.
	info, err := w.info(ctx)
	if err != nil {
		return chain.Found{}, err
	}
	states, err := w.daemon.Transactions(ctx, []string{b.TxHash})
	if err != nil {
		return chain.Found{}, translated(err)
	}
	switch s := states[0]; s.State {
	case monero.InPool:
		return chain.Found{State: chain.InPool}, nil
	case monero.Mined:
		confirmations := max(info.Height, s.Height+1) - s.Height
		return chain.Found{State: chain.Mined, Height: s.Height, Confirmations: confirmations}, nil
	case monero.Missed:
	}
	spent, err := w.daemon.KeyImages(ctx, b.Inputs)
	if err != nil {
		return chain.Found{}, translated(err)
	}
	var found chain.Found
	for _, s := range spent {
		switch s {
		case monero.SpentInPool:
			found.Inputs = max(found.Inputs, chain.InputsContested)
		case monero.SpentInChain:
			found.Inputs = chain.InputsSpent
		case monero.Unspent:
		}
	}
	return found, nil
}

// Release frees the outputs of a transaction that is given up.
func (w *Wallet) Release(ctx context.Context, b chain.Built) error {
	found, err := w.Find(ctx, b)
	if err != nil {
		return err
	}
	if found.State != chain.Unknown || found.Inputs == chain.InputsContested {
		return fmt.Errorf("%w: %s", chain.ErrInUse, b.TxHash)
	}
	for _, image := range b.Inputs {
		// An output that left the chain is not in the wallet any more.
		if err := w.spend.Thaw(ctx, image); err != nil && !errors.Is(err, monero.ErrNotFound) {
			return translated(err)
		}
	}
	return nil
}

func notFound(err error, txHash string) error {
	if errors.Is(err, monero.ErrNotFound) {
		return fmt.Errorf("%w: deposit %s", chain.ErrNotFound, txHash)
	}
	return translated(err)
}
