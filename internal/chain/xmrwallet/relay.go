package xmrwallet

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
)

// Network is the part of a wallet that needs no wallet process: it relays
// transactions to the daemon and finds them.
type Network struct {
	daemon *monero.Daemon
}

// NewNetwork makes a Network from a daemon.
func NewNetwork(daemon *monero.Daemon) *Network { return &Network{daemon} }

// Tip returns the highest block that the daemon has.
func (n *Network) Tip(ctx context.Context) (chain.Tip, error) {
	info, err := n.info(ctx)
	if err != nil {
		return chain.Tip{}, err
	}
	return chain.Tip{Height: info.Height - 1, Hash: info.TopHash}, nil
}

// BlockHash returns the hash of the daemon's block at a height.
func (n *Network) BlockHash(ctx context.Context, height uint64) (string, error) {
	hash, err := n.daemon.BlockHash(ctx, height)
	if errors.Is(err, monero.ErrNotFound) {
		return "", fmt.Errorf("%w: block %d", chain.ErrNotFound, height)
	}
	return hash, translated(err)
}

// Locate asks the daemon. Its client asks twice for a transaction that the daemon
// does not find.
func (n *Network) Locate(ctx context.Context, txHashes []string) ([]chain.Location, error) {
	states, err := n.states(ctx, txHashes)
	if err != nil {
		return nil, err
	}
	list := make([]chain.Location, len(states))
	for i, s := range states {
		list[i] = chain.Location{State: placeOf(s.State), Height: s.Height, Contested: s.State == monero.InPool && s.DoubleSpendSeen}
	}
	return list, nil
}

// info returns the state of a daemon that has caught up with its peers.
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

// Relay sends the stored bytes to the daemon.
func (n *Network) Relay(ctx context.Context, b chain.Built) error {
	return chain.Relayed(ctx, b, translated(n.daemon.Relay(ctx, hex.EncodeToString(b.Raw))), n.Find)
}

// Find returns the state of a built transaction.
func (n *Network) Find(ctx context.Context, b chain.Built) (chain.Found, error) {
	found, err := n.locate(ctx, b.TxHash)
	if err != nil || found.State != chain.Unknown {
		return found, err
	}
	inputs, err := n.inputs(ctx, b)
	if err != nil {
		return chain.Found{}, err
	}
	// Check the network again: a daemon that has since been switched to another
	// network does not know these transactions, and its answer must not cause an
	// abandonment.
	_, err = n.info(ctx)
	return chain.Found{Inputs: inputs}, err
}

// locate returns where the daemon has a transaction.
func (n *Network) locate(ctx context.Context, txHash string) (chain.Found, error) {
	// Read the tip first: a block that arrives in between only adds confirmations.
	info, err := n.info(ctx)
	if err != nil {
		return chain.Found{}, err
	}
	states, err := n.states(ctx, []string{txHash})
	if err != nil {
		return chain.Found{}, err
	}
	s := states[0]
	found := chain.Found{State: placeOf(s.State), Height: s.Height}
	if s.State == monero.Mined {
		found.Confirmations = max(info.Height, s.Height+1) - s.Height
	}
	return found, nil
}

func placeOf(s monero.TxState) chain.State {
	return [...]chain.State{monero.Missed: chain.Unknown, monero.InPool: chain.InPool, monero.Mined: chain.Mined}[s]
}

// states asks the daemon for transactions by hash, and answers in the same
// order. A transaction in the pool is Missed when another one in a block spends
// the same outputs. After a reorganization, a daemon keeps the transactions of a
// dropped block for days, even when they can never be mined again.
func (n *Network) states(ctx context.Context, txHashes []string) ([]monero.TxStatus, error) {
	states, err := n.daemon.Transactions(ctx, txHashes)
	if err != nil {
		return nil, translated(err)
	}
	spent, err := n.spentInChain(ctx, states)
	if err != nil || len(spent) == 0 {
		return states, err
	}
	hashes := make([]string, len(spent))
	for i, at := range spent {
		hashes[i] = txHashes[at]
	}
	// A block that arrived in between may contain the transactions themselves.
	again, err := n.daemon.Transactions(ctx, hashes)
	if err != nil {
		return nil, translated(err)
	}
	for i, at := range spent {
		if states[at] = again[i]; again[i].State == monero.InPool {
			states[at] = monero.TxStatus{Hash: hashes[i], State: monero.Missed}
		}
	}
	return states, nil
}

// spentInChain returns the positions of transactions in the pool of which a
// block spends an input.
func (n *Network) spentInChain(ctx context.Context, states []monero.TxStatus) (places []int, err error) {
	var images []string
	for _, s := range states {
		images = append(images, s.Inputs...)
	}
	spent, err := n.daemon.KeyImages(ctx, images)
	if err != nil {
		return nil, translated(err)
	}
	for i, s := range states {
		if slices.Contains(spent[:len(s.Inputs)], monero.SpentInChain) {
			places = append(places, i)
		}
		spent = spent[len(s.Inputs):]
	}
	return places, nil
}

// inputs returns how the outputs that a transaction spends are spent. The inputs
// of a transaction in the pool are contested by the transaction itself.
func (n *Network) inputs(ctx context.Context, b chain.Built) (chain.InputState, error) {
	spent, err := n.daemon.KeyImages(ctx, b.Inputs)
	if err != nil {
		return 0, translated(err)
	}
	var inputs chain.InputState
	for _, s := range spent {
		switch s {
		case monero.SpentInPool:
			inputs = max(inputs, chain.InputsContested)
		case monero.SpentInChain:
			inputs = chain.InputsSpent
		case monero.Unspent:
		}
	}
	return inputs, nil
}

// Release frees the outputs of an abandoned transaction.
func (w *Wallet) Release(ctx context.Context, b chain.Built) error {
	return w.Thaw(ctx, w.spend.Wallet, b)
}

// Thaw frees the outputs of an abandoned transaction in the wallet that made it.
// Repeating it is harmless. It returns chain.ErrInUse.
func (n *Network) Thaw(ctx context.Context, spend *monero.Wallet, b chain.Built) error {
	found, err := n.Find(ctx, b)
	if err != nil {
		return err
	}
	if err := chain.Releasable(b, found); err != nil {
		return err
	}
	for _, image := range b.Inputs {
		// An output that left the chain is no longer in the wallet.
		if err := spend.Thaw(ctx, image); err != nil && !errors.Is(err, monero.ErrNotFound) {
			return translated(err)
		}
	}
	return nil
}
