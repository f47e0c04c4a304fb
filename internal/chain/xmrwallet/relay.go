package xmrwallet

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
)

// Network is the part of a wallet that needs no wallet process: it hands
// transactions to the daemon and tells what became of them.
type Network struct {
	daemon *monero.Daemon
}

// NewNetwork makes a Network of a daemon.
func NewNetwork(daemon *monero.Daemon) *Network { return &Network{daemon} }

// Tip is the highest block that the daemon has seen.
func (n *Network) Tip(ctx context.Context) (chain.Tip, error) {
	info, err := n.info(ctx)
	if err != nil {
		return chain.Tip{}, err
	}
	return chain.Tip{Height: info.Height - 1, Hash: info.TopHash}, nil
}

// info is the state of a daemon that has caught up with its peers.
func (n *Network) info(ctx context.Context) (monero.Info, error) {
	info, err := n.daemon.Info(ctx)
	if err != nil {
		return monero.Info{}, translated(err)
	}
	if !info.Synchronized || info.TargetHeight > info.Height || info.Height == 0 {
		return monero.Info{}, fmt.Errorf("%w: block %d of %d", chain.ErrLagging, info.Height, info.TargetHeight)
	}
	return info, nil
}

// Relay hands the stored bytes to the daemon.
func (n *Network) Relay(ctx context.Context, b chain.Built) error {
	err := n.daemon.Relay(ctx, hex.EncodeToString(b.Raw))
	if !errors.Is(err, monero.ErrRefused) {
		return translated(err)
	}
	found, findErr := n.Find(ctx, b)
	if findErr != nil {
		return findErr
	}
	if found.State != chain.Unknown {
		return nil
	}
	return translated(err)
}

// Find tells what became of a built transaction.
func (n *Network) Find(ctx context.Context, b chain.Built) (chain.Found, error) {
	// The tip first: a block that comes in between only adds confirmations.
	info, err := n.info(ctx)
	if err != nil {
		return chain.Found{}, err
	}
	states, err := n.daemon.Transactions(ctx, []string{b.TxHash})
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
	spent, err := n.daemon.KeyImages(ctx, b.Inputs)
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
